package dev.rowhash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowhash.runtime.Await;
import dev.rowhash.runtime.Component;
import dev.rowhash.runtime.Flow;
import dev.rowhash.runtime.FlowProcessor;
import dev.rowhash.runtime.FlowProcessor.Verification;
import dev.rowhash.runtime.FlowQueue;
import dev.rowhash.runtime.LoadLogTables;
import dev.rowhash.runtime.NifiServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kudu.ColumnSchema.ColumnSchemaBuilder;
import org.apache.kudu.Schema;
import org.apache.kudu.Type;
import org.apache.kudu.client.AsyncKuduScanner.ReadMode;
import org.apache.kudu.client.CreateTableOptions;
import org.apache.kudu.client.KuduException;
import org.apache.kudu.client.KuduScanner;
import org.apache.kudu.client.RowResult;
import org.apache.kudu.util.DecimalUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whole files through UpsertKudu into a real Kudu, with the load log: the same on each NiFi. */
abstract class UpsertKuduFlow {

    /** A zone that would shift each time by nine hours, if it counted. */
    static final String ZONE = "-Duser.timezone=Asia/Seoul";

    private static final Duration DEADLINE = Duration.ofSeconds(180);
    private static final String NOT_LOGGED = "not logged";
    private static final String DONE = "done";
    private static final int CELL_LIMIT = 65_536;
    private static final int KEY_LIMIT = 16_384;

    @RegisterExtension
    static final RunningKudu KUDU = new RunningKudu();

    abstract NifiServer nifi();

    @Test
    void ofAThousandRowsSevenFailInSevenWaysAndTheLoadLogCountsThem() throws Exception {
        final String table = createTable("db.thousand");
        final LoadLogTables log = LoadLogTables.create(KUDU.server());
        final List<String> lines = new ArrayList<>(IntStream.rangeClosed(1, 1000).mapToObj(i -> ("{\"id\":\"row %d\","
                + "\"text\":\"가나다 %d\",\"number\":%d,\"at\":\"2026-03-02 09:11:11.5\"}").formatted(i, i, i)).toList());
        final Map<Integer, String> bad = new TreeMap<>();
        lines.set(10, "{\"text\":\"x\"}");
        bad.put(11, "id has no value, but is a column of the primary key");
        lines.set(111, "{\"id\":\"row 112\",\"txet\":\"x\"}");
        bad.put(112, "has no column for the field txet");
        lines.set(222, "{\"id\":\"row 223\",\"number\":3000000000}");
        bad.put(223, "number is 3000000000: the column is INT32");
        lines.set(333, "{\"id\":\"row 334\",\"text\":\"" + "a".repeat(CELL_LIMIT + 1) + "\"}");
        bad.put(334, "value too large for column 'text'");
        lines.set(444, "{\"id\":\"" + "b".repeat(KEY_LIMIT + 1) + "\"}");
        bad.put(445, "encoded primary key too large");
        lines.set(555, "{\"id\":\"row 556\",\"at\":\"2026-02-30 09:11:11\"}");
        bad.put(556, "at is '2026-02-30 09:11:11': it is no timestamp");
        lines.set(999, "{\"id\":\"row 1000\",\"price\":12.345}");
        bad.put(1000, "price is 12.345: the column is DECIMAL(5, 2)");

        final Flow flow = Flow.create(nifi().client(), "thousand");
        final Path inbox = nifi().data("thousand-inbox");
        final String reader = flow.enable(Component.of("JsonTreeReader"));
        final FlowProcessor sink = addFiles(flow, inbox, reader, table);
        final FlowProcessor emit = flow.add(Component.of("EmitLoadLog").set("Settle Time", "1 sec").autoTerminate("success"));
        flow.connect(sink, emit, "success", "failure");
        flow.keep(emit, NOT_LOGGED, "failure");
        addLogSink(flow, emit, "master", LoadLogTables.Table.MASTER, reader);
        addLogSink(flow, emit, "detail", LoadLogTables.Table.DETAIL, reader);
        flow.start();
        drop(inbox, "a.ndjson", lines);

        Await.until("the batch to be final", DEADLINE, () -> log.rows(LoadLogTables.Table.MASTER).stream()
                .anyMatch(row -> !row.get("status").equals("RUNNING")), () -> "where FlowFiles are: " + flow.queued()
                + ", master: " + log.rows(LoadLogTables.Table.MASTER));
        Await.until("the records to be written", DEADLINE, () -> log.rows(LoadLogTables.Table.DETAIL).size() == bad.size());
        flow.stop();

        final Map<String, RowResultCells> rows = rows(table);
        assertThat(rows).hasSize(993).containsKey("row 1").doesNotContainKeys("row 112", "row 223", "row 334", "row 556",
                "row 1000");
        assertThat(rows.get("row 1").at()).as("in a JVM of another zone").isEqualTo(Instant.parse("2026-03-02T09:11:11.5Z"));
        assertThat(rows.get("row 2").text()).isEqualTo("가나다 2");
        assertThat(log.rows(LoadLogTables.Table.MASTER)).singleElement().satisfies(master -> assertThat(master)
                .containsEntry("status", "PARTIAL").containsEntry("src_count", 1000).containsEntry("load_count", 993)
                .containsEntry("error_count", 7));
        final List<Map<String, Object>> details = log.rows(LoadLogTables.Table.DETAIL).stream()
                .sorted(Comparator.comparing(row -> (Integer) row.get("detail_seq"))).toList();
        assertThat(details).extracting(row -> row.get("detail_seq")).containsExactlyElementsOf(bad.keySet());
        assertThat(details).allSatisfy(row -> {
            assertThat((String) row.get("error_message")).contains(bad.get(row.get("detail_seq")));
            assertThat(row).containsEntry("error_processor", "UpsertKudu").containsEntry("file_name", "a.ndjson")
                    .containsEntry("status", "FAIL");
        });
        assertThat((String) details.get(1).get("line_content")).contains("\"txet\":\"x\"");
        assertThat(details.get(3)).as("longer than a cell of the log").containsEntry("line_content", null);
        assertThat(flow.queue(NOT_LOGGED).size()).isZero();
    }

    @Test
    void killedInMidLoadKuduHoldsExactlyTheRowsAfterItsReturn() throws Exception {
        final int count = 60_000;
        for (final int moment : new int[] {1, count / 2}) {
            final String table = createTable("db.killed_" + moment);
            final Flow flow = Flow.create(nifi().client(), "killed " + moment);
            final Path inbox = nifi().data("killed-inbox-" + moment);
            final FlowProcessor sink = addFiles(flow, inbox, flow.enable(Component.of("JsonTreeReader")), table);
            final FlowQueue done = flow.keep(sink, DONE, "success");
            final FlowQueue failed = flow.keep(sink, "failed", "failure");
            flow.start();
            drop(inbox, "many.ndjson", IntStream.range(0, count).mapToObj(i -> "{\"id\":\"row %d\",\"number\":%d}".formatted(i, i))
                    .toList());
            Await.until("the load to be so far", DEADLINE, () -> count(table) >= moment);
            KUDU.server().kill();
            Await.until("the processor to notice", DEADLINE, () -> sink.bulletins().stream()
                    .anyMatch(bulletin -> bulletin.contains("stay queued until Kudu")), () -> "done: " + done.size());
            assertThat(done.size() + failed.size()).isZero();
            KUDU.server().restart();

            done.awaitSize(1);
            flow.stop();
            assertThat(count(table)).isEqualTo(count);
            assertThat(failed.size()).isZero();
        }
    }

    @Test
    void aMisspeltFieldIsFoundThoughTheReaderHasASchemaOfItsOwn() throws Exception {
        final String schema = "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"id\",\"type\":\"string\"},"
                + "{\"name\":\"text\",\"type\":[\"null\",\"string\"]}]}";
        final String table = createTable("db.misspelt");
        final Map<String, List<String>> contents = Map.of("JsonTreeReader", List.of("{\"id\":\"json\",\"txet\":\"x\"}"),
                "CSVReader", List.of("id,txet", "csv,x"));
        for (final Map.Entry<String, List<String>> content : contents.entrySet()) {
            final Component reader = Component.of(content.getKey())
                    .set("Schema Access Strategy", "schema-text-property").set("Schema Text", schema);
            if (content.getKey().equals("CSVReader")) {
                reader.set("Treat First Line as Header", "true");
            }
            final Flow flow = Flow.create(nifi().client(), "misspelt " + content.getKey());
            final Path inbox = nifi().data("misspelt-" + content.getKey());
            final FlowProcessor sink = addFiles(flow, inbox, flow.enable(reader), table);
            final FlowQueue failed = flow.keep(sink, "failed", "failure");
            flow.keep(sink, DONE, "success");
            flow.start();
            drop(inbox, "misspelt", content.getValue());

            failed.awaitSize(1);
            flow.stop();
            assertThat(failed.flowFiles().get(0).attribute("error_message")).contains("schema does not name the field txet");
        }
        assertThat(count(table)).isZero();
    }

    @Test
    void theVerifyButtonShowsTheTable() throws Exception {
        final String table = createTable("db.verified");
        final Flow flow = Flow.create(nifi().client(), "verify");
        final FlowProcessor sink = flow.add(sink(flow.enable(Component.of("JsonTreeReader")), "db.${table}"));

        final List<Verification> results = sink.verify(Map.of("table", "verified"));

        assertThat(results).anyMatch(result -> result.step().equals("Open the table") && result.outcome().equals("SUCCESSFUL")
                && result.explanation().contains(table + " has the columns id STRING (key), text STRING"));
        assertThat(sink.verify(Map.of("table", "missing"))).anyMatch(result -> result.outcome().equals("FAILED")
                && result.explanation().contains("Kudu has no table db.missing: create it"));
    }

    private FlowProcessor addFiles(final Flow flow, final Path inbox, final String reader, final String table) {
        final FlowProcessor files = flow.add(Component.of("GetFile").set("Input Directory", inbox.toString())
                .set("Keep Source File", "false").every("500 ms"));
        final FlowProcessor batch = flow.add(Component.of("UpdateAttribute").set("src_type", "NAS").set("regn", "R01")
                .set("db_name", "db").set("table_name", "thousand").set("base_dts", "20260302090000"));
        final FlowProcessor sink = flow.add(sink(reader, table));
        flow.connect(files, batch, "success");
        flow.connect(batch, sink, "success");
        flow.connect(sink, sink, "retry");
        return sink;
    }

    private static Component sink(final String reader, final String table) {
        return Component.of("UpsertKudu").set("Kudu Masters", KUDU.server().masters()).set("Table Name", table)
                .set("Record Reader", reader).set("Kudu Operation Timeout", "5 sec");
    }

    private static void addLogSink(final Flow flow, final FlowProcessor emit, final String relationship,
            final LoadLogTables.Table table, final String reader) {
        final FlowProcessor sink = flow.add(sink(reader, table.kuduName()).named("Write " + relationship).autoTerminate("success"));
        flow.connect(emit, sink, relationship);
        flow.connect(sink, sink, "retry");
        flow.keep(sink, relationship + " not written", "failure");
    }

    private static void drop(final Path inbox, final String name, final List<String> lines) throws IOException {
        final Path unfinished = inbox.resolveSibling(name);
        Files.write(unfinished, lines, StandardCharsets.UTF_8);
        Files.move(unfinished, inbox.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    private static String createTable(final String name) throws KuduException {
        if (KUDU.server().client().tableExists(name)) {
            KUDU.server().client().deleteTable(name);
        }
        KUDU.server().client().createTable(name, new Schema(Stream.of(
                new ColumnSchemaBuilder("id", Type.STRING).key(true),
                new ColumnSchemaBuilder("text", Type.STRING).nullable(true),
                new ColumnSchemaBuilder("number", Type.INT32).nullable(true),
                new ColumnSchemaBuilder("at", Type.UNIXTIME_MICROS).nullable(true),
                new ColumnSchemaBuilder("price", Type.DECIMAL).nullable(true).typeAttributes(DecimalUtil.typeAttributes(5, 2)))
                .map(ColumnSchemaBuilder::build).toList()),
                new CreateTableOptions().addHashPartitions(List.of("id"), 4).setNumReplicas(1));
        return name;
    }

    private static int count(final String table) {
        try {
            int count = 0;
            final KuduScanner scanner = KUDU.server().client().newScannerBuilder(KUDU.server().client().openTable(table))
                    .readMode(ReadMode.READ_LATEST).setProjectedColumnNames(List.of()).build();
            while (scanner.hasMoreRows()) {
                count += scanner.nextRows().getNumRows();
            }
            return count;
        } catch (final KuduException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, RowResultCells> rows(final String table) throws KuduException {
        final Map<String, RowResultCells> rows = new TreeMap<>();
        final KuduScanner scanner = KUDU.server().client().newScannerBuilder(KUDU.server().client().openTable(table))
                .readMode(ReadMode.READ_LATEST).build();
        while (scanner.hasMoreRows()) {
            for (final RowResult row : scanner.nextRows()) {
                rows.put(row.getString("id"), new RowResultCells(row.isNull("text") ? null : row.getString("text"),
                        row.isNull("at") ? null : row.getTimestamp("at").toInstant()));
            }
        }
        return rows;
    }

    private record RowResultCells(String text, Instant at) {
    }
}
