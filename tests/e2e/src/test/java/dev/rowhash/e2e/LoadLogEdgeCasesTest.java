package dev.rowhash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowhash.runtime.Component;
import dev.rowhash.runtime.FlowProcessor;
import dev.rowhash.runtime.LoadLogFlow;
import dev.rowhash.runtime.LoadLogTables;
import dev.rowhash.runtime.NasCall;
import dev.rowhash.runtime.NasCallTable;
import dev.rowhash.runtime.NasCallTable.StoredCall;
import dev.rowhash.runtime.NifiServer;
import dev.rowhash.runtime.NifiVersion;
import dev.rowhash.runtime.Project;
import dev.rowhash.runtime.SampleLog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What is rare in the load log's life, with the flow definition nas-to-kudu.json on NiFi 1.18.0 and a real Kudu. The JVM
 * is in Seoul's time zone, as where the flow runs.
 */
class LoadLogEdgeCasesTest {
    /** Each PutKudu keeps some 30 MB of buffers, also when it is stopped; every test here has three of its own. */
    static final String MEMORY = "-Xmx2g";

    @RegisterExtension
    static final RunningNifi NIFI = new RunningNifi(() -> NifiServer.of(NifiVersion.V1_18_0).extension(Project.nar())
            .jvmArguments("-Duser.timezone=Asia/Seoul", MEMORY));

    @RegisterExtension
    static final RunningKudu KUDU = new RunningKudu();

    private static final String SECOND = "20260304050607";
    private static final String BROKEN = "no line of the log";
    /** Bytes of UTF-8 in a cell of Kudu, at most. */
    private static final int CELL = 65_536;
    private static final String KOREAN = "각";

    private NasCallTable table;
    private LoadLogTables log;
    private LoadLogFlow flow;

    @BeforeEach
    void createTables() {
        table = NasCallTable.create(KUDU.server());
        log = LoadLogTables.create(KUDU.server());
    }

    @AfterEach
    void stopFlow() {
        if (flow != null) {
            flow.stop();
        }
    }

    private LoadLogFlow upload(final String name) {
        return upload(name, 0);
    }

    private LoadLogFlow upload(final String name, final int headerLines) {
        flow = LoadLogFlow.upload(NIFI.server(), KUDU.server(), log, name, Map.of("kudu.flowfiles.per.batch", "100",
                "header.lines", Integer.toString(headerLines)));
        return flow;
    }

    private void logLoadedItems() {
        flow.processor("Load log").configure(Map.of("Log Loaded Items", "true"));
    }

    /** A file that ListFile does not see, as attributes of a FlowFile that begins in a given second. */
    private Map<String, String> file(final String name, final String baseDts, final List<String> lines) {
        final Path folder = NIFI.server().data("files");
        try {
            Files.write(folder.resolve(name), lines, StandardCharsets.UTF_8);
        } catch (final IOException e) {
            throw new IllegalStateException(e);
        }
        return Map.of("absolute.path", folder.toString(), "filename", name, "base_dts", baseDts);
    }

    private static Map<String, String> item(final String baseDts, final String unit, final int index, final int count) {
        return new HashMap<>(Map.of("src_type", "NAS", "regn", "R01", "db_name", "bronze", "table_name", "nas_copilot_call",
                "base_dts", baseDts, "absolute.path", "/in", "filename", unit + ".log", "fragment.identifier", unit,
                "fragment.index", Integer.toString(index), "fragment.count", Integer.toString(count)));
    }

    private static List<String> lines(final List<NasCall> calls) {
        return new ArrayList<>(calls.stream().map(NasCall::line).toList());
    }

    private void assertMaster(final String status, final int source, final int loaded, final int failed) {
        assertThat(flow.masters()).singleElement().satisfies(master -> assertThat(master).containsEntry("status", status)
                .containsEntry("src_count", source).containsEntry("load_count", loaded).containsEntry("error_count", failed));
    }

    private static void assertTableHolds(final NasCallTable table, final List<NasCall> calls) {
        assertThat(table.rows()).containsExactlyInAnyOrderElementsOf(calls.stream().distinct().map(StoredCall::of).toList());
    }

    @Test
    void twoFilesInOneSecondAreOneBatchAndShareNoNumber() {
        final FlowProcessor source = upload("two-files").addSource("Name the batch");
        logLoadedItems();
        flow.start();
        final List<NasCall> calls = SampleLog.calls(21, 18);
        final List<String> lines = lines(calls);
        lines.set(2, lines.get(2) + "\ta column more");
        lines.set(11, lines.get(11) + "\ta column more");
        LoadLogFlow.send(source, "-", file("a.log", SECOND, lines.subList(0, 10)));
        LoadLogFlow.send(source, "-", file("b.log", SECOND, lines.subList(10, 18)));

        flow.awaitFinal(1);
        assertMaster("PARTIAL", 18, 16, 2);
        // detail_seq is the last column of the table's key: as many rows are as many numbers.
        assertThat(flow.details()).hasSize(18);
        assertThat(flow.details().stream().filter(row -> row.get("file_name").equals("a.log"))).hasSize(10);
        assertThat(flow.details()).filteredOn(row -> row.get("status").equals("FAIL"))
                .extracting(row -> row.get("line_content")).containsExactlyInAnyOrder(lines.get(2), lines.get(11));

        flow.repairPattern(LoadLogFlow.pattern(NasCall.COLUMNS.size(), "(?:\\t.*)?"));
        assertThat(flow.replay()).isEqualTo(2);
        assertMaster("SUCCESS", 18, 18, 0);
        assertThat(flow.details()).hasSize(18);
        assertTableHolds(table, calls);
    }

    @Test
    void theSameFileTwiceInOneSecondCountsOnce() {
        final FlowProcessor source = upload("same-file").addSource("Name the batch");
        flow.start();
        final List<NasCall> calls = SampleLog.calls(22, 9);
        final List<String> lines = lines(calls);
        lines.add(BROKEN);
        LoadLogFlow.send(source, "-", file("same.log", SECOND, lines));
        LoadLogFlow.send(source, "-", file("same.log", SECOND, lines));

        flow.awaitFinal(1);
        assertMaster("PARTIAL", 10, 9, 1);
        assertThat(flow.details()).singleElement().satisfies(row -> assertThat(row).containsEntry("detail_seq", 10));
        assertTableHolds(table, calls);
    }

    @Test
    void aFileWhoseLinesStraddleMidnightIsABatchOfTheDayItBegan() {
        final FlowProcessor source = upload("midnight").addSource("Parse the line");
        flow.start();
        final List<NasCall> calls = SampleLog.calls(23, 4);
        for (int index = 1; index <= 4; index++) {
            LoadLogFlow.send(source, index == 1 ? BROKEN : calls.get(index - 1).line(),
                    item(index < 3 ? "20260304235959" : "20260305000000", "midnight", index, 4));
        }

        flow.awaitFinal(1);
        assertMaster("PARTIAL", 4, 3, 1);
        assertThat(flow.masters().get(0)).containsEntry("base_dts", "20260304235959").containsEntry("base_dt", "20260304");
        assertThat(flow.details()).singleElement().satisfies(row -> assertThat(row).containsEntry("base_dts", "20260304235959")
                .containsEntry("base_dt", "20260304").containsEntry("detail_seq", 1));
    }

    @Test
    void aFileWithNothingButAHeaderIsAnEmptySource() {
        final FlowProcessor source = upload("header-only", 1).addSource("Name the batch");
        flow.start();
        LoadLogFlow.send(source, "-", file("header.log", SECOND, List.of(String.join("\t", NasCall.COLUMNS))));

        flow.awaitFinal(1);
        assertMaster("SUCCESS", 0, 0, 0);
        assertThat(flow.details()).isEmpty();
        assertThat(table.rows()).isEmpty();
    }

    @Test
    void rowsAfterAHeaderAreNumberedFromOne() {
        upload("header", 1).start();
        final List<NasCall> calls = SampleLog.calls(27, 3);
        final List<String> lines = lines(calls);
        lines.set(2, calls.get(2).with("output", KOREAN.repeat(CELL)).line());
        lines.add(0, String.join("\t", NasCall.COLUMNS));
        final Object batch = flow.load("header.log", lines).get("base_dts");

        assertMaster("PARTIAL", 3, 2, 1);
        assertThat(flow.details(batch)).singleElement().satisfies(row -> assertThat(row).containsEntry("detail_seq", 3)
                .containsEntry("record_key", "3").containsEntry("line_content", null));

        flow.repair("header.log", lines.subList(0, 3));
        assertThat(flow.replay()).isEqualTo(1);
        assertThat((String) flow.details(batch).get(0).get("error_message")).contains("has 2 lines now: line 3 is not there");

        lines.set(3, calls.get(2).line());
        flow.repair("header.log", lines);
        assertThat(flow.replay()).isEqualTo(1);
        assertMaster("SUCCESS", 3, 3, 0);
        assertTableHolds(table, calls);
    }

    @Test
    void aSplitOfASplitIsAUnitForEachChunk() {
        upload("split-of-split");
        final FlowProcessor name = flow.addBefore(flow.processor("Split into lines"), Component.of("UpdateAttribute")
                .named("Name the chunk").set("load.unit", "${load.unit}#${fragment.index}"), "success");
        final FlowProcessor chunks = flow.addBefore(name, Component.of("SplitText").named("Split into chunks")
                .set("Line Split Count", "2").autoTerminate("original", "failure"), "splits");
        final FlowProcessor source = flow.addSource(chunks);
        logLoadedItems();
        flow.start();
        final List<NasCall> calls = SampleLog.calls(24, 5);
        final List<String> lines = lines(calls);
        lines.set(3, BROKEN);
        final Map<String, String> file = item(SECOND, "chunks", 0, 0);
        file.keySet().removeIf(attribute -> attribute.startsWith("fragment."));
        file.put("load.unit", "/in/chunks.log");
        LoadLogFlow.send(source, String.join("\n", lines), file);

        flow.awaitFinal(1);
        assertMaster("PARTIAL", 5, 4, 1);
        assertThat(flow.details()).hasSize(5).filteredOn(row -> row.get("status").equals("FAIL")).singleElement()
                .satisfies(row -> assertThat(row).containsEntry("line_content", BROKEN));
        assertThat(table.count()).isEqualTo(4);
    }

    @Test
    void linesThatDoNotFitACellOrHoldNulAreLoadedFromWhereTheyAreKept() {
        upload("cells").start();
        final List<String> lines = new ArrayList<>();
        for (final int bytes : new int[] {CELL - 1, CELL, CELL + 1, CELL + 2}) {
            lines.add(KOREAN.repeat(bytes / 3) + "x".repeat(bytes % 3));
        }
        final NasCall withNul = SampleLog.calls(25, 1).get(0).with("input", "a\0" + KOREAN);
        lines.add("no line\0\"" + KOREAN + "\"");
        lines.add(withNul.line());
        final Object batch = flow.load("cells.log", lines).get("base_dts");

        for (int replayed = 0; replayed <= 1; replayed++) {
            assertMaster("PARTIAL", 6, 1, 5);
            final List<Map<String, Object>> details = flow.details(batch);
            assertThat(details).extracting(row -> row.get("detail_seq")).containsExactly(1, 2, 3, 4, 5);
            assertThat(details).extracting(row -> row.get("line_content"))
                    .containsExactly(lines.get(0), lines.get(1), null, null, lines.get(4));
            assertThat(details).extracting(row -> row.get("record_key")).containsExactly(null, null, "3", "4", null);
            assertThat(details).extracting(row -> row.get("retry_count")).containsOnly(replayed);
            if (replayed == 0) {
                assertThat(flow.replay()).isEqualTo(5);
            }
        }
        assertTableHolds(table, List.of(withNul));
    }

    @Test
    void aMessageOfKafkaKeepsItsOffsetItsBytesAndAsMuchOfItsErrorAsFits() {
        final FlowProcessor source = upload("messages").addSource("Load log");
        flow.start();
        final long offset = Integer.MAX_VALUE + 8L;
        final String error = KOREAN.repeat(100 * 1024 / 3);
        for (int partition = 0; partition < 2; partition++) {
            final Map<String, String> message = new HashMap<>(Map.of("src_type", "KAFKA", "regn", "R01", "db_name", "bronze",
                    "table_name", "nas_copilot_call", "base_dts", SECOND, "kafka.topic", "calls", "kafka.partition",
                    Integer.toString(partition), "kafka.offset", Long.toString(offset), "error_processor", "PutKudu"));
            message.put("error_message", error);
            // It is base64, since the server keeps its flow in XML, which cannot hold NUL.
            source.configure(Map.of("Custom Text", "${literal('eAB57ZWc'):base64Decode()}"));
            source.configure(message);
            source.runOnce();
        }

        flow.awaitFinal(1);
        assertMaster("FAIL", 2, 0, 2);
        assertThat(flow.details()).hasSize(2).allSatisfy(row -> assertThat(row).containsEntry("kafka_offset", offset)
                .containsEntry("line_content", "x\0y한").containsEntry("error_message", KOREAN.repeat(CELL / 3)));
        assertThat(flow.details()).extracting(row -> row.get("kafka_partition")).containsExactlyInAnyOrder(0, 1);
    }

    @Test
    void theTimesOfABatchAreInstants() {
        LoadLogInstants.check(upload("seoul"));
    }

    @Test
    void identicalLinesAreLoadedItemsButOneRowAndACounterSaysSo() {
        upload("identical").start();
        final List<NasCall> calls = SampleLog.calls(26, 1_000);
        final int distinct = (int) calls.stream().distinct().count();
        assertThat(distinct).as("1% of the lines stand there twice").isEqualTo(990);

        flow.load("identical.log", lines(calls));

        assertMaster("SUCCESS", 1_000, 1_000, 0);
        assertTableHolds(table, calls);
        assertThat(flow.processor("Load log").counters()).containsEntry("Identical Rows", 10L);
    }

    @Test
    void theVerifyButtonTellsWhetherTheLogCanWork() {
        upload("verify");
        final FlowProcessor emit = flow.processor("Load log");
        assertThat(emit.verify(item(SECOND, "unit", 1, 1))).extracting(FlowProcessor.Verification::outcome)
                .as("before the first start").containsExactly("SUCCESSFUL", "SUCCESSFUL", "SKIPPED", "SUCCESSFUL");
        emit.runOnce();
        assertThat(emit.verify(item(SECOND, "unit", 1, 1))).allSatisfy(step ->
                assertThat(step.outcome()).as(step.explanation()).isEqualTo("SUCCESSFUL"));
        assertThat(emit.verify(item("2026", "unit", 1, 1)).toString()).contains("base_dts is '2026'");
        assertThat(flow.processor("Run failures again").verify(Map.of())).allSatisfy(step ->
                assertThat(step.outcome()).as(step.explanation()).isEqualTo("SUCCESSFUL"));
    }
}
