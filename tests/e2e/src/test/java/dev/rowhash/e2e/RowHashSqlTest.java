package dev.rowhash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.rowhash.runtime.KuduServer;
import dev.rowhash.runtime.NasCall;
import dev.rowhash.runtime.NasCallFlow;
import dev.rowhash.runtime.NasCallTable;
import dev.rowhash.runtime.NasCallTable.StoredCall;
import dev.rowhash.runtime.NifiServer;
import dev.rowhash.runtime.NifiVersion;
import dev.rowhash.runtime.Project;
import dev.rowhash.runtime.ReferenceHash;
import dev.rowhash.runtime.SampleLog;
import dev.rowhash.runtime.TrinoServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What {@code rowhash sql} prints for Trino, on a real Trino over a real Kudu. */
class RowHashSqlTest {
    private static final String SCHEMA = "checked";
    private static final String CALLS = "bronze";

    private static KuduServer kudu;
    private static TrinoServer trino;
    private static Connection connection;

    @BeforeAll
    static void startServers() throws SQLException {
        kudu = KuduServer.start();
        trino = TrinoServer.start(kudu);
        connection = trino.connect(SCHEMA);
        execute("CREATE SCHEMA " + SCHEMA);
        execute("CREATE SCHEMA " + CALLS);
        // A text in the session's time would be a wrong one.
        execute("SET TIME ZONE 'Asia/Seoul'");
    }

    @AfterAll
    static void stopServers() throws Exception {
        for (final AutoCloseable started : Arrays.asList(connection, trino, kudu)) {
            if (started != null) {
                started.close();
            }
        }
    }

    @Test
    void everyGoldenTypedAndGeneratedRowHasItsHash() throws SQLException {
        int rows = 0;
        for (final SqlRowsTable table : SqlRowsTable.all("trino")) {
            final String select = table.sql("select", "--form=" + table.form());
            if (table.isInKudu()) {
                execute(table.sql("ddl", "--partitions=2"));
                table.write(kudu, SCHEMA, i -> table.rows().get(i).rowHash());
                assertThat(hashes(select)).as(table.list()).isEqualTo(table.hashes());
                assertThat(SqlRows.of(connection, statement(table.sql("verify", "--form=" + table.form()))))
                        .as(table.list()).isEmpty();
                execute("DROP TABLE " + table.name());
            } else {
                assertThat(hashes(withValues(table) + select)).as(table.list()).isEqualTo(table.hashes());
            }
            rows += table.rows().size();
        }
        assertThat(rows).isGreaterThan(10_200);
    }

    @Test
    void verifyFindsTheSpoiledRowsAndNoOther() throws SQLException {
        final SqlRowsTable table = generated();
        final Map<Integer, String> right = table.hashes();
        final Map<Integer, String> spoiled = new LinkedHashMap<>();
        right.forEach((id, hash) -> spoiled.put(id, spoil(id, hash)));
        execute(table.sql("ddl"));
        table.write(kudu, SCHEMA, spoiled::get);

        final Map<Object, List<Object>> found = new HashMap<>();
        for (final Map<String, Object> row : SqlRows.of(connection, statement(table.sql("verify")))) {
            found.put(row.get(SqlRowsTable.ID), List.of(row.get("stored_hash"), row.get("computed_hash")));
        }

        final Map<Object, List<Object>> expected = new HashMap<>();
        right.forEach((id, hash) -> {
            if (!spoiled.get(id).equals(hash)) {
                expected.put(id, List.of(spoiled.get(id), hash));
            }
        });
        assertThat(found).hasSizeGreaterThan(150).isEqualTo(expected);
        mistakesShow(table, right);
        execute("DROP TABLE " + table.name());
    }

    /** Each of these runs, and gives the right hash to a row that has no trap in it. */
    private static void mistakesShow(final SqlRowsTable table, final Map<Integer, String> right) throws SQLException {
        final String select = table.sql("select");
        final Map<String, String> mistakes = Map.of(
                "nulls passed over", select.replace(", '|', '\\N')", ", '|')"),
                "a token with two backslashes", select.replace("'\\N'", "'\\\\N'"),
                "empty texts are values", select.replaceAll("nullif\\((.*), ''\\)", "$1"),
                "zeros at the end", select.replaceAll("regexp_replace\\(regexp_replace\\((.*), '\\(\\[.*", "$1,"),
                "another separator", select.replace("'|'", "','"));
        for (final Map.Entry<String, String> mistake : mistakes.entrySet()) {
            assertThat(mistake.getValue()).as(mistake.getKey()).isNotEqualTo(select);
            assertThat(hashes(mistake.getValue())).as(mistake.getKey()).hasSameSizeAs(right).isNotEqualTo(right);
        }
    }

    @Test
    void moreColumnsThanAnArrayOfTrinoTakesAreHashedAllTheSame() throws SQLException {
        final Map<String, String> row = new LinkedHashMap<>();
        IntStream.range(0, 600).forEach(i -> row.put("c" + i, i % 3 == 0 ? "" : "값" + i));
        final String cells = row.entrySet().stream().map(cell -> "'" + cell.getValue() + "' AS " + cell.getKey())
                .collect(Collectors.joining(", "));
        final String select = CommandLine.rowhash(List.of("sql", "select", "--dialect=trino", "--table=wide",
                "--columns=" + String.join(",", row.keySet())));

        assertThat(SqlRows.of(connection, "WITH wide AS (SELECT " + cells + ")\n" + statement(select))).singleElement()
                .satisfies(found -> assertThat(found).contains(entry("row_hash", ReferenceHash.of(row))));
    }

    @Test
    void aRowThatNifiLoadedAndSomebodySpoiledIsFoundAndRepaired() throws SQLException {
        final NasCallTable table = NasCallTable.create(kudu);
        final List<NasCall> log = SampleLog.calls(7, 500);
        try (NifiServer nifi = NifiServer.of(NifiVersion.V1_18_0).extension(Project.nar()).start()) {
            NasCallFlow.intoKudu(nifi, kudu, "sql", NasCallFlow.computeRowHash()).load(log);
        }
        final LinkedHashSet<StoredCall> loaded = new LinkedHashSet<>(log.stream().map(StoredCall::of).toList());
        assertThat(table.rows()).containsExactlyInAnyOrderElementsOf(loaded);
        final String verify = calls("verify", NasCall.COLUMNS);
        assertThat(SqlRows.of(connection, statement(verify))).isEmpty();

        final NasCall victim = log.get(17);
        final String right = victim.referenceHash();
        final String wrong = right.replace(right.charAt(0), right.charAt(0) == '0' ? '1' : '0');
        final String columns = String.join(", ", NasCall.COLUMNS);
        execute("INSERT INTO bronze.nas_copilot_call (" + columns + ", row_hash) SELECT " + columns + ", '" + wrong
                + "' FROM bronze.nas_copilot_call WHERE row_hash = '" + right + "'");
        execute("DELETE FROM bronze.nas_copilot_call WHERE row_hash = '" + right + "'");

        assertThat(SqlRows.of(connection, statement(verify))).singleElement().satisfies(row -> assertThat(row)
                .containsEntry("stored_hash", wrong).containsEntry("computed_hash", right)
                .containsEntry("epid", victim.value("epid")).containsEntry("ts", victim.value("ts"))
                .doesNotContainKey("row_hash"));
        nothingIsLostWhereAColumnIsNotNamed(table);

        final List<String> backfill = statements(calls("backfill", NasCall.COLUMNS));
        assertThat(backfill).hasSize(2);
        // Somebody stops it here.
        execute(backfill.get(0));
        assertThat(SqlRows.of(connection, statement(verify))).hasSize(1);
        assertThat(table.count()).isEqualTo(loaded.size() + 1);
        for (int run = 1; run <= 2; run++) {
            for (final String statement : backfill) {
                execute(statement);
            }
            assertThat(SqlRows.of(connection, statement(verify))).as("run " + run).isEmpty();
            assertThat(table.rows()).as("run " + run).containsExactlyInAnyOrderElementsOf(loaded);
        }
    }

    private static void nothingIsLostWhereAColumnIsNotNamed(final NasCallTable table) throws SQLException {
        final List<StoredCall> before = table.rows();
        final List<String> fewer = NasCall.COLUMNS.stream().filter(column -> !column.equals("devicetype")).toList();
        for (final String statement : statements(calls("backfill", fewer))) {
            execute(statement);
        }
        assertThat(table.rows()).containsExactlyInAnyOrderElementsOf(before);
    }

    private static String calls(final String command, final List<String> columns) {
        return CommandLine.rowhash(List.of("sql", command, "--dialect=trino", "--table=" + NasCallTable.NAME,
                "--columns=" + String.join(",", columns),
                "--key=" + NasCall.KEY.stream().filter(column -> !column.equals(NasCall.ROW_HASH))
                        .collect(Collectors.joining(","))));
    }

    private static SqlRowsTable generated() {
        return SqlRowsTable.all("trino").stream().filter(table -> table.name().equals("generated")).findFirst().orElseThrow();
    }

    /** A hash whose last digit is another one, or whose letters are upper case, for some of the rows. */
    private static String spoil(final int id, final String hash) {
        if (id % 101 == 0) {
            return hash.substring(0, 31) + (hash.endsWith("0") ? '1' : '0');
        }
        return id % 103 == 0 ? hash.toUpperCase() : hash;
    }

    /** The rows as a table that is in no catalog, for what Kudu cannot hold. */
    private static String withValues(final SqlRowsTable table) {
        final List<String> rows = new ArrayList<>();
        for (int i = 0; i < table.rows().size(); i++) {
            final List<String> values = table.rows().get(i).values();
            rows.add("(" + IntStream.range(0, values.size())
                    .mapToObj(column -> literal(values.get(column), table.columns().get(column).type()) + ", ")
                    .collect(Collectors.joining()) + i + ")");
        }
        final String names = table.columns().stream().map(column -> "\"" + column.name().replace("\"", "\"\"") + "\", ")
                .collect(Collectors.joining());
        return "WITH \"" + table.name() + "\" (" + names + SqlRowsTable.ID + ") AS (VALUES " + String.join(", ", rows) + ")\n";
    }

    private static String literal(final String value, final String type) {
        final Map<String, String> types = Map.of("time", "time(3)", "timestamptz", "timestamp(3) with time zone");
        final String zone = type.equals("timestamptz") ? " UTC" : "";
        final String text = value == null ? "NULL" : "'" + value.replace("'", "''") + zone + "'";
        return "CAST(" + text + " AS " + types.getOrDefault(type, "varchar") + ")";
    }

    private static Map<Integer, String> hashes(final String select) throws SQLException {
        final Map<Integer, String> hashes = new LinkedHashMap<>();
        for (final Map<String, Object> row : SqlRows.of(connection, statement(select))) {
            hashes.put((Integer) row.get(SqlRowsTable.ID), (String) row.get("row_hash"));
        }
        return hashes;
    }

    private static String statement(final String text) {
        final List<String> statements = statements(text);
        assertThat(statements).hasSize(1);
        return statements.get(0);
    }

    private static List<String> statements(final String text) {
        return Arrays.stream(text.split(";\n")).filter(statement -> !statement.isBlank()).toList();
    }

    private static void execute(final String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(statement(sql));
        }
    }
}
