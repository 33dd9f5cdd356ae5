package dev.rowhash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rowhash.runtime.KuduServer;
import dev.rowhash.runtime.LoadLogTables;
import dev.rowhash.runtime.LoadLogTables.Table;
import dev.rowhash.runtime.SqlScript;
import dev.rowhash.runtime.TrinoServer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kudu.ColumnSchema;
import org.apache.kudu.Schema;
import org.apache.kudu.client.KuduException;
import org.apache.kudu.client.KuduTable;
import org.apache.kudu.client.PartitionSchema.HashBucketSchema;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of docs/sql/load_log, as operators have them, on a real Trino over a real Kudu. */
class LoadLogSqlTest {
    private static final String FOLDER = "docs/sql/load_log/";
    private static final SqlScript TABLES = SqlScript.read(FOLDER + "trino.sql");
    private static final SqlScript QUERIES = SqlScript.read(FOLDER + "queries.trino.sql");
    private static final int OVERVIEW = 1;
    private static final int FAILURES = 2;
    private static final int RERUN = 3;

    /** As the documentation of ReplayLoadLog has them. */
    private static final List<String> REPLAY_COLUMNS = List.of("src_type", "regn", "db_name", "table_name", "base_dts",
            "detail_seq", "retry_count", "file_path", "file_name", "line_content", "kafka_topic", "kafka_category", "kafka_svc",
            "kafka_offset", "kafka_partition", "record_key", "src_count", "load_count", "error_count", "max_detail_seq",
            "min_detail_seq", "created_dt", "start_ts");

    private static final Map<String, String> TABLE =
            Map.of("src_type", "NAS", "regn", "KR", "db_name", "bronze", "table_name", "nas_copilot_call");
    private static final String NINE = "20260302090000";
    private static final String TEN = "20260302100000";
    private static final String KOREAN = "2026-03-02 09:00:00|홍길동|\"각\" 'quoted' 😀|\\|";
    private static final Instant CREATED = Instant.parse("2026-03-02T00:00:01.234Z");
    /** Kudu keeps microseconds, so a clock with nanoseconds would not be read back as it was written. */
    private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.MILLIS);

    private static KuduServer kudu;
    private static TrinoServer trino;
    private static Connection connection;

    private final LoadLogTables tables = LoadLogTables.of(kudu);

    @BeforeAll
    static void startServers() throws SQLException {
        kudu = KuduServer.start();
        trino = TrinoServer.start(kudu);
        connection = trino.connect(LoadLogTables.SCHEMA);
        execute("CREATE SCHEMA " + LoadLogTables.SCHEMA);
    }

    @AfterAll
    static void stopServers() throws Exception {
        for (final AutoCloseable started : Arrays.asList(connection, trino, kudu)) {
            if (started != null) {
                started.close();
            }
        }
    }

    @BeforeEach
    void createTables() throws SQLException {
        tables.drop();
        assertThat(TABLES.statements()).hasSize(Table.values().length);
        for (int i = 1; i <= TABLES.statements().size(); i++) {
            execute(TABLES.statement(i, Map.of()));
        }
    }

    @Test
    void theTrinoFileMakesTheTablesOfTheDesign() throws KuduException {
        assertThat(columns(Table.MASTER)).containsExactly(
                "src_type STRING key", "regn STRING key", "db_name STRING key", "table_name STRING key",
                "base_dts STRING key",
                "base_dt STRING", "status STRING", "src_count INT32", "load_count INT32", "error_count INT32",
                "start_ts UNIXTIME_MICROS", "end_ts UNIXTIME_MICROS",
                "created_dt UNIXTIME_MICROS", "updated_dt UNIXTIME_MICROS");
        assertThat(columns(Table.DETAIL)).containsExactly(
                "src_type STRING key", "regn STRING key", "db_name STRING key", "table_name STRING key",
                "base_dts STRING key", "detail_seq INT32 key",
                "base_dt STRING", "status STRING", "error_message STRING", "error_processor STRING",
                "retry_count INT32", "file_path STRING", "file_name STRING", "line_content STRING",
                "kafka_topic STRING", "kafka_category STRING", "kafka_svc STRING", "kafka_offset INT64",
                "kafka_partition INT32", "record_key STRING",
                "created_dt UNIXTIME_MICROS", "updated_dt UNIXTIME_MICROS");
        for (final Table table : Table.values()) {
            assertThat(hashPartitions(opened(table))).containsExactly("4 over [src_type, regn]");
        }
    }

    @Test
    void flowsWithoutTrinoGetTheSameTables() throws KuduException {
        final List<String> ofTrino = List.of(description(Table.MASTER), description(Table.DETAIL));

        LoadLogTables.create(kudu);

        assertThat(List.of(description(Table.MASTER), description(Table.DETAIL))).isEqualTo(ofTrino);
    }

    @Test
    void theOverviewShowsTheBatchesOfTheDayInTheOrderOfTheirStart() throws SQLException {
        master(TEN, "FAIL", 3, 0, 3);
        master(NINE, "PARTIAL", 1000, 997, 3);
        master("20260301235959", "SUCCESS", 5, 5, 0);
        // As somebody repairs a row by hand; the batch is still running, so there is no end.
        execute("INSERT INTO load_log_master (src_type, regn, db_name, table_name, base_dts, base_dt, status, "
                + "src_count, load_count, error_count, start_ts) VALUES ('KAFKA', 'KR', '한글', 'calls', '20260302093000', "
                + "'20260302', 'RUNNING', 7, 2, 0, TIMESTAMP '2026-03-02 00:30:00.123')");

        final List<Map<String, Object>> rows = ask(OVERVIEW, Map.of("base_dt", "20260302"));

        assertThat(rows).extracting("base_dts", "src_type", "db_name", "status", "src_count", "load_count",
                        "error_count", "start_ts", "end_ts")
                .containsExactly(
                        tuple(NINE, "NAS", "bronze", "PARTIAL", 1000, 997, 3, utc(CREATED), utc(NOW)),
                        tuple("20260302093000", "KAFKA", "한글", "RUNNING", 7, 2, 0,
                                LocalDateTime.parse("2026-03-02T00:30:00.123"), null),
                        tuple(TEN, "NAS", "bronze", "FAIL", 3, 0, 3, utc(CREATED), utc(NOW)));
        assertThat(tables.rows(Table.MASTER)).filteredOn(row -> row.get("src_type").equals("KAFKA")).singleElement()
                .satisfies(row -> assertThat(row.get("start_ts")).isEqualTo(Instant.parse("2026-03-02T00:30:00.123Z")));
    }

    @Test
    void theFailuresOfABatchAreItsOwnInTheOrderOfTheirNumbers() throws SQLException {
        detail(NINE, 12, "FAIL", 3, NOW, Map.of("line_content", KOREAN, "error_message", "값이 없습니다"));
        detail(NINE, 3, "SUCCESS", 1, NOW, Map.of());
        detail(NINE, 2, "FAIL", 0, NOW, Map.of());
        detail(NINE, -1, "FAIL", 0, NOW, Map.of("file_path", "/로그", "file_name", "호출.log"));
        detail(NINE, 5, "FAIL", 0, NOW, Map.of());
        claim(NINE, 5, NOW);
        detail(TEN, 1, "FAIL", 0, NOW, Map.of());
        detail(NINE, 4, "FAIL", 0, NOW, Map.of("table_name", "another"));

        final List<Map<String, Object>> rows = ask(FAILURES, with(TABLE, "base_dts", NINE));

        assertThat(rows).extracting("detail_seq", "status", "retry_count", "error_message", "file_path",
                        "file_name", "line_content")
                .containsExactly(
                        tuple(-1, "FAIL", 0, "no match", "/로그", "호출.log", null),
                        tuple(2, "FAIL", 0, "no match", null, null, null),
                        tuple(5, "RUNNING", 0, "no match", null, null, null),
                        tuple(12, "FAIL", 3, "값이 없습니다", null, null, KOREAN));
    }

    @Test
    void theRerunQueryHasTheColumnsThatAReplayReads() throws SQLException {
        detail(NINE, 1, "FAIL", 0, NOW, Map.of());

        assertThat(ask(RERUN, TABLE)).singleElement()
                .satisfies(row -> assertThat(row.keySet()).containsExactlyElementsOf(REPLAY_COLUMNS));
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTC", "Asia/Seoul", "America/Los_Angeles"})
    void theRerunQueryPicksWhatFailedAndWhatAReplayLeftBehind(final String zone) throws SQLException {
        detail(NINE, 1, "SUCCESS", 1, NOW, Map.of());
        detail(NINE, 2, "FAIL", 0, NOW, Map.of());
        detail(NINE, 3, "FAIL", 2, NOW, Map.of());
        detail(NINE, 4, "FAIL", 3, NOW, Map.of());
        detail(NINE, 5, "FAIL", 1, NOW, Map.of());
        claim(NINE, 5, NOW.minus(Duration.ofMinutes(16)));
        detail(NINE, 6, "FAIL", 1, NOW, Map.of());
        claim(NINE, 6, NOW.minus(Duration.ofMinutes(10)));
        detail(NINE, 7, "FAIL", 3, NOW, Map.of());
        claim(NINE, 7, NOW.minus(Duration.ofDays(1)));
        detail(NINE, -1, "FAIL", 0, NOW, Map.of());

        try (Connection inZone = trino.connect(LoadLogTables.SCHEMA); Statement statement = inZone.createStatement()) {
            statement.execute("SET TIME ZONE '" + zone + "'");

            assertThat(SqlRows.of(inZone, QUERIES.statement(RERUN, TABLE)))
                    .extracting("detail_seq", "retry_count", "created_dt")
                    .containsExactlyInAnyOrder(tuple(-1, 0, CREATED.toEpochMilli()), tuple(2, 0, CREATED.toEpochMilli()),
                            tuple(3, 2, CREATED.toEpochMilli()), tuple(5, 1, CREATED.toEpochMilli()));
        }
    }

    @Test
    void aClaimThatIsWrittenAfterItsItemWasLoadedIsNoFailure() throws SQLException {
        for (final int seq : new int[] {1, 2}) {
            detail(NINE, seq, seq == 1 ? "SUCCESS" : "FAIL", 1, NOW, Collections.singletonMap("error_message", seq == 1 ? null : "failed again"));
            claim(NINE, seq, NOW.minus(Duration.ofMinutes(16)));
        }

        assertThat(ask(RERUN, TABLE)).extracting("detail_seq").containsExactly(2);
        assertThat(ask(FAILURES, with(TABLE, "base_dts", NINE))).extracting("detail_seq").containsExactly(2);
    }

    @Test
    void theRerunQueryKeepsBatchesApartAndBringsTheCountsOfEach() throws SQLException {
        master(NINE, "PARTIAL", 1000, 997, 3);
        master(TEN, "FAIL", 3, 0, 3);
        detail(NINE, -2, "SUCCESS", 1, NOW, Map.of());
        detail(NINE, 7, "FAIL", 0, NOW, Map.of());
        detail(NINE, 900, "SUCCESS", 1, NOW, Map.of());
        detail(TEN, 2, "FAIL", 1, NOW, Map.of());
        detail(TEN, 3, "FAIL", 3, NOW, Map.of());
        detail("20260302110000", 4, "FAIL", 0, NOW, Map.of());

        assertThat(ask(RERUN, TABLE))
                .extracting("base_dts", "detail_seq", "src_count", "load_count", "error_count", "max_detail_seq",
                        "min_detail_seq", "start_ts")
                .containsExactlyInAnyOrder(
                        tuple(NINE, 7, 1000, 997, 3, 900, -2, CREATED.toEpochMilli()),
                        tuple(TEN, 2, 3, 0, 3, 3, 2, CREATED.toEpochMilli()),
                        // Its master row is not there: nothing is invented, and the item is not passed over.
                        tuple("20260302110000", 4, null, null, null, 4, 4, null));
    }

    @ParameterizedTest
    @ValueSource(strings = {"src_type", "regn", "db_name", "table_name"})
    void theRerunQueryAsksForOneTable(final String column) throws SQLException {
        master(NINE, "FAIL", 1, 0, 1);
        detail(NINE, 1, "FAIL", 0, NOW, Map.of());
        detail(NINE, 99, "FAIL", 0, NOW, Map.of(column, "KAFKA"));

        assertThat(ask(RERUN, TABLE)).extracting("detail_seq", "src_count", "max_detail_seq")
                .containsExactly(tuple(1, 1, 1));
        assertThat(ask(RERUN, with(TABLE, column, "KAFKA"))).extracting("detail_seq", "src_count", "max_detail_seq")
                .containsExactly(tuple(99, null, 99));
    }

    @Test
    void theRerunQueryBringsAllThatSaysWhereAnItemIs() throws SQLException {
        detail(NINE, 1, "FAIL", 0, NOW, Map.of("line_content", KOREAN, "file_path", "/nas/로그", "file_name", "호출 1.log"));
        detail(NINE, 2, "FAIL", 0, NOW, Map.of("kafka_topic", "calls", "kafka_category", "통화", "kafka_svc", "copilot",
                "kafka_offset", 3_000_000_000L, "kafka_partition", 11));
        detail(NINE, 3, "FAIL", 0, NOW, Map.of("record_key", "42"));

        assertThat(ask(RERUN, TABLE))
                .extracting("detail_seq", "line_content", "file_path", "file_name", "kafka_topic", "kafka_category",
                        "kafka_svc", "kafka_offset", "kafka_partition", "record_key")
                .containsExactlyInAnyOrder(
                        tuple(1, KOREAN, "/nas/로그", "호출 1.log", null, null, null, null, null, null),
                        tuple(2, null, null, null, "calls", "통화", "copilot", 3_000_000_000L, 11, null),
                        tuple(3, null, null, null, null, null, null, null, null, "42"));
    }

    /** Trino's INSERT is an upsert: what an operator repairs by hand is picked as if the flow had written it. */
    @Test
    void rowsWrittenBySqlArePickedToo() throws SQLException {
        detail(NINE, 1, "FAIL", 3, NOW, Map.of("line_content", KOREAN));
        execute("INSERT INTO load_log_detail (src_type, regn, db_name, table_name, base_dts, detail_seq, status, "
                + "retry_count, line_content, created_dt, updated_dt) VALUES "
                + "('NAS', 'KR', 'bronze', 'nas_copilot_call', '" + NINE + "', 2, 'FAIL', 0, '고친 줄', "
                + "TIMESTAMP '2026-03-02 00:00:01.234', TIMESTAMP '2026-03-02 00:00:02')");
        // Without a retry_count, which the flow always writes.
        execute("INSERT INTO load_log_detail (src_type, regn, db_name, table_name, base_dts, detail_seq, status) "
                + "VALUES ('NAS', 'KR', 'bronze', 'nas_copilot_call', '" + NINE + "', 3, 'FAIL')");
        execute("UPDATE load_log_detail SET retry_count = 0 WHERE base_dts = '" + NINE + "' AND detail_seq = 1");

        assertThat(ask(RERUN, TABLE)).extracting("detail_seq", "retry_count", "line_content", "created_dt")
                .containsExactlyInAnyOrder(tuple(1, 0, KOREAN, CREATED.toEpochMilli()),
                        tuple(2, 0, "고친 줄", CREATED.toEpochMilli()), tuple(3, 0, null, null));
    }

    @Test
    void anApostropheInAParameterIsNoWayOutOfTheText() throws SQLException {
        detail(NINE, 1, "FAIL", 0, NOW, Map.of("regn", "O'Brien"));

        assertThat(ask(RERUN, with(TABLE, "regn", "O'Brien"))).hasSize(1);
        assertThat(ask(RERUN, with(TABLE, "regn", "' OR '' = '"))).isEmpty();
    }

    /** Impala's files cannot be run here; what can be seen is that they say the same. */
    @Test
    void theImpalaFilesSayTheSame() throws IOException {
        final SqlScript impalaTables = SqlScript.read(FOLDER + "impala.sql");
        assertThat(impalaTables.statements()).hasSize(Table.values().length);
        for (final Table table : Table.values()) {
            assertThat(words(impalaTables.statements().get(table.ordinal()))).isEqualTo(impalaDdl(table));
        }

        final SqlScript impalaQueries = SqlScript.read(FOLDER + "queries.impala.sql");
        assertThat(impalaQueries.statements().stream().map(LoadLogSqlTest::words)).containsExactlyElementsOf(
                QUERIES.statements().stream().map(LoadLogSqlTest::words).map(LoadLogSqlTest::inImpalasWords).toList());
    }

    private static String impalaDdl(final Table table) {
        final Map<String, String> types =
                Map.of("STRING", "STRING", "INT32", "INT", "INT64", "BIGINT", "UNIXTIME_MICROS", "TIMESTAMP");
        final Schema schema = table.schema();
        final List<String> lines = new ArrayList<>(schema.getColumns().stream().map(column -> column.getName() + " "
                + types.get(column.getType().name()) + (column.isKey() ? " NOT NULL" : " NULL")).toList());
        lines.add("PRIMARY KEY (" + String.join(", ",
                schema.getPrimaryKeyColumns().stream().map(ColumnSchema::getName).toList()) + ")");
        final String name = table.kuduName().substring(LoadLogTables.SCHEMA.length() + 1);
        return "CREATE TABLE " + name + " ( " + String.join(", ", lines)
                + " ) PARTITION BY HASH (src_type, regn) PARTITIONS 4 STORED AS KUDU";
    }

    private static String inImpalasWords(final String trino) {
        return trino.replace("${", "${var:")
                .replaceAll("date_diff\\('millisecond', TIMESTAMP '1970-01-01 00:00:00.000', (\\S+)\\)",
                        "utc_to_unix_micros($1) DIV 1000")
                .replace("CAST(current_timestamp AT TIME ZONE 'UTC' AS timestamp(3)) - INTERVAL '15' MINUTE",
                        "utc_timestamp() - INTERVAL 15 MINUTES");
    }

    /** A statement without its comments and line ends. */
    private static String words(final String sql) {
        return sql.replaceAll("--.*", "").replaceAll("\\s+", " ").strip();
    }

    private static List<Map<String, Object>> ask(final int query, final Map<String, String> values) throws SQLException {
        return SqlRows.of(connection, QUERIES.statement(query, values));
    }

    private static void execute(final String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private void master(final String baseDts, final String status, final int read, final int loaded, final int failed) {
        final Map<String, Object> cells = new HashMap<>(TABLE);
        cells.putAll(Map.of("base_dts", baseDts, "base_dt", baseDts.substring(0, 8), "status", status,
                "src_count", read, "load_count", loaded, "error_count", failed,
                "start_ts", CREATED, "end_ts", NOW, "created_dt", CREATED, "updated_dt", NOW));
        tables.upsert(Table.MASTER, cells);
    }

    private void detail(final String baseDts, final int seq, final String status, final int retries, final Instant updated,
            final Map<String, ?> others) {
        final Map<String, Object> cells = new HashMap<>(TABLE);
        cells.putAll(Map.of("base_dts", baseDts, "detail_seq", seq, "base_dt", baseDts.substring(0, 8), "status", status,
                "error_message", "no match", "error_processor", "ExtractText", "retry_count", retries,
                "created_dt", CREATED, "updated_dt", updated));
        cells.putAll(others);
        tables.upsert(Table.DETAIL, cells);
    }

    /** What ReplayLoadLog writes over the row of an item that it picks: these columns and no others. */
    private void claim(final String baseDts, final int seq, final Instant updated) {
        final Map<String, Object> cells = new HashMap<>(TABLE);
        cells.putAll(Map.of("base_dts", baseDts, "detail_seq", seq, "status", "RUNNING", "updated_dt", updated));
        tables.upsert(Table.DETAIL, cells);
    }

    private static Map<String, String> with(final Map<String, String> values, final String name, final String value) {
        final Map<String, String> result = new HashMap<>(values);
        result.put(name, value);
        return result;
    }

    private static LocalDateTime utc(final Instant instant) {
        return LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
    }

    private static KuduTable opened(final Table table) throws KuduException {
        return kudu.client().openTable(table.kuduName());
    }

    private static List<String> columns(final Table table) throws KuduException {
        return opened(table).getSchema().getColumns().stream()
                .map(column -> column.getName() + " " + column.getType().name() + (column.isKey() ? " key" : "")).toList();
    }

    private static List<String> hashPartitions(final KuduTable table) {
        final Schema schema = table.getSchema();
        return table.getPartitionSchema().getHashBucketSchemas().stream().map((HashBucketSchema hash) -> hash.getNumBuckets()
                + " over " + names(schema, hash.getColumnIds())).toList();
    }

    private static List<String> names(final Schema schema, final List<Integer> ids) {
        return ids.stream().map(id -> schema.getColumnByIndex(schema.getColumnIndex(id)).getName()).toList();
    }

    /** All that distinguishes tables: what a column may hold and how it is stored, and how rows are spread. */
    private static String description(final Table table) throws KuduException {
        final KuduTable opened = opened(table);
        final Schema schema = opened.getSchema();
        final List<String> columns = schema.getColumns().stream().map(column -> String.join(" ", column.getName(),
                column.getType().name(), column.isKey() ? "key" : "", column.isNullable() ? "nullable" : "not null",
                String.valueOf(column.getDefaultValue()), String.valueOf(column.getEncoding()),
                String.valueOf(column.getCompressionAlgorithm()))).toList();
        return String.join("\n", columns) + "\nhash " + hashPartitions(opened) + " range "
                + names(schema, opened.getPartitionSchema().getRangeSchema().getColumnIds()) + " replicas "
                + opened.getNumReplicas();
    }
}
