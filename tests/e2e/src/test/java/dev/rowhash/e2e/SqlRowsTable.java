package dev.rowhash.e2e;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rowhash.runtime.KuduServer;
import dev.rowhash.runtime.Project;
import dev.rowhash.runtime.RuntimeFailure;
import java.io.IOException;
import java.math.BigDecimal;
import java.sql.Date;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;
import org.apache.kudu.client.KuduException;
import org.apache.kudu.client.KuduSession;
import org.apache.kudu.client.KuduTable;
import org.apache.kudu.client.OperationResponse;
import org.apache.kudu.client.PartialRow;
import org.apache.kudu.client.SessionConfiguration.FlushMode;
import org.apache.kudu.client.Upsert;

/**
 * A table of tests/sql/rows.py: rows whose hashes come from the written rules alone.
 *
 * @param list the columns as {@code rowhash sql} takes them
 */
record SqlRowsTable(String name, String form, String list, List<Column> columns, List<Row> rows) {
    /** The column that tells the rows apart. */
    static final String ID = "rowhash_id";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TypeReference<List<String>> VALUES = new TypeReference<>() {
    };
    private static final DateTimeFormatter TIMESTAMP = new DateTimeFormatterBuilder().appendPattern("uuuu-MM-dd HH:mm:ss")
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true).toFormatter(Locale.ROOT);
    private static final int FLUSH_EVERY = 500;

    record Column(String name, String type) {
    }

    record Row(List<String> values, String rowHash) {
    }

    static List<SqlRowsTable> all(final String dialect) {
        final String script = Project.root().resolve("tests/sql/rows.py").toString();
        final List<SqlRowsTable> tables = new ArrayList<>();
        CommandLine.run("python3", List.of(script, dialect)).lines().forEach(line -> tables.add(read(line)));
        return tables;
    }

    private static SqlRowsTable read(final String line) {
        try {
            final JsonNode table = JSON.readTree(line);
            final List<Column> columns = new ArrayList<>();
            table.get("columns").forEach(column -> columns.add(new Column(column.get(0).asText(), column.get(1).asText())));
            final List<Row> rows = new ArrayList<>();
            table.get("rows").forEach(row -> rows.add(new Row(JSON.convertValue(row.get(0), VALUES), row.get(1).asText())));
            return new SqlRowsTable(table.get("name").asText(), table.get("form").asText(), table.get("list").asText(),
                    columns, rows);
        } catch (final IOException e) {
            throw new RuntimeFailure("tests/sql/rows.py printed no table: " + line, e);
        }
    }

    /** What {@code rowhash sql} prints for this table. */
    String sql(final String command, final String... more) {
        final List<String> arguments = new ArrayList<>(List.of("sql", command, "--dialect=trino", "--table=" + name,
                "--columns=" + list, "--other-columns=" + ID + ":int", "--key=" + ID));
        arguments.addAll(List.of(more));
        return CommandLine.rowhash(arguments);
    }

    /** The hash of each row by its number. */
    Map<Integer, String> hashes() {
        final Map<Integer, String> hashes = new LinkedHashMap<>();
        for (int i = 0; i < rows.size(); i++) {
            hashes.put(i, rows.get(i).rowHash());
        }
        return hashes;
    }

    /** Kudu has no type for times of day and for instants in a zone, and takes U+FFFD in a name for broken UTF-8. */
    boolean isInKudu() {
        return columns.stream().noneMatch(column -> List.of("time", "timestamptz").contains(column.type())
                || column.name().contains("\ufffd"));
    }

    /** Writes the rows, each with the hash that it is given, into the table that is there. */
    void write(final KuduServer kudu, final String schema, final IntFunction<String> hash) {
        try {
            final KuduTable table = kudu.client().openTable(schema + "." + name);
            final KuduSession session = kudu.client().newSession();
            session.setFlushMode(FlushMode.MANUAL_FLUSH);
            for (int i = 0; i < rows.size(); i++) {
                final Upsert upsert = table.newUpsert();
                fill(upsert.getRow(), i, hash.apply(i));
                session.apply(upsert);
                if (i % FLUSH_EVERY == FLUSH_EVERY - 1) {
                    flush(session);
                }
            }
            flush(session);
            session.close();
        } catch (final KuduException e) {
            throw new RuntimeFailure("Cannot write the table " + name, e);
        }
    }

    private void fill(final PartialRow row, final int number, final String hash) {
        row.addInt(ID, number);
        row.addString("row_hash", hash);
        for (int i = 0; i < columns.size(); i++) {
            final String value = rows.get(number).values().get(i);
            if (value != null) {
                // Trino makes its columns in lower case.
                add(row, columns.get(i).name().toLowerCase(Locale.ENGLISH), columns.get(i).type(), value);
            }
        }
    }

    private static void add(final PartialRow row, final String column, final String type, final String value) {
        switch (type.replaceFirst("\\(.*", "")) {
            case "string" -> row.addString(column, value);
            case "tinyint" -> row.addByte(column, Byte.parseByte(value));
            case "int" -> row.addInt(column, Integer.parseInt(value));
            case "bigint" -> row.addLong(column, Long.parseLong(value));
            case "decimal" -> row.addDecimal(column, new BigDecimal(value));
            case "boolean" -> row.addBoolean(column, Boolean.parseBoolean(value));
            case "date" -> row.addDate(column, Date.valueOf(value));
            case "timestamp" -> row.addLong(column, ChronoUnit.MICROS.between(LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC),
                    LocalDateTime.parse(value, TIMESTAMP)));
            default -> throw new RuntimeFailure("Kudu has no type " + type);
        }
    }

    private static void flush(final KuduSession session) throws KuduException {
        for (final OperationResponse response : session.flush()) {
            if (response.hasRowError()) {
                throw new RuntimeFailure("Kudu refuses a row: " + response.getRowError());
            }
        }
    }
}
