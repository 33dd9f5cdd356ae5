package dev.rowhash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowhash.runtime.Await;
import dev.rowhash.runtime.FlowDefinition;
import dev.rowhash.runtime.LoadLogFlow;
import dev.rowhash.runtime.LoadLogScenario;
import dev.rowhash.runtime.LoadLogScenario.Step;
import dev.rowhash.runtime.LoadLogTables;
import dev.rowhash.runtime.NasCall;
import dev.rowhash.runtime.NasCallTable;
import dev.rowhash.runtime.NasCallTable.StoredCall;
import dev.rowhash.runtime.NifiServer;
import dev.rowhash.runtime.NifiVersion;
import dev.rowhash.runtime.Project;
import dev.rowhash.runtime.SampleLog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The flow definition nas-to-kudu.json as users import it: NiFi 1.18.0, a real Kudu, and what can go wrong there. */
class LoadLogFlowTest {
    @RegisterExtension
    static final RunningNifi NIFI =
            new RunningNifi(() -> NifiServer.of(NifiVersion.V1_18_0).extension(Project.nar())
                    .jvmArguments("-Duser.timezone=UTC", LoadLogEdgeCasesTest.MEMORY));

    @RegisterExtension
    static final RunningKudu KUDU = new RunningKudu();

    private static final Duration LOAD_DEADLINE = Duration.ofSeconds(300);
    private static final Duration RETENTION = Duration.ofSeconds(4);
    private static final int BIG_BATCH = 20_000;
    /** For a cell of 65,536 bytes. */
    private static final String TOO_LONG = "가".repeat(21_846);
    private static final int BROKEN_EVERY = 1_000;
    /** How many rows are in the table when NiFi is killed. */
    private static final int[] ALL_MOMENTS = {1, 5_000, 10_000, 15_000, 19_700};
    private static final int[] TWO_MOMENTS = {2_000, 15_000};

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
        if (flow != null && NIFI.server().isRunning()) {
            flow.stop();
        }
    }

    private LoadLogFlow upload(final String name, final Map<String, String> parameters) {
        flow = LoadLogFlow.upload(NIFI.server(), KUDU.server(), log, name, parameters);
        return flow;
    }

    @Test
    void whatIsBrokenIsLoggedRepairedAndOnlyThatIsLoadedAgain() {
        final List<Step> steps = new ArrayList<>();
        final LoadLogScenario scenario = new LoadLogScenario(upload("scenario", Map.of()), table);

        scenario.run(steps::add);

        assertThat(steps).hasSize(8).allSatisfy(step -> assertThat(step.ok()).as(step.title() + step.checks()).isTrue());
        final Map<String, Object> batches = scenario.batches();

        final List<Map<String, Object>> broken = details(steps.get(0), batches.get("broken.log"));
        assertThat(broken).extracting(row -> row.get("detail_seq")).containsExactly(101, 102, 103, 104);
        assertThat(broken).allSatisfy(row -> assertThat(row).containsEntry("status", "FAIL").containsEntry("retry_count", 0)
                .containsEntry("file_name", "broken.log"));
        assertThat(broken.subList(0, 3)).allSatisfy(row -> {
            assertThat(row).containsEntry("error_processor", "ExtractText").containsEntry("record_key", null);
            assertThat((String) row.get("error_message")).contains("does not match");
            assertThat((String) row.get("line_content")).endsWith("\ta column more");
        });
        assertThat(broken.get(3)).as("too long for a cell: read from its file again, by its number")
                .containsEntry("error_processor", "PutKudu").containsEntry("line_content", null).containsEntry("record_key", "104");
        assertThat((String) broken.get(3).get("error_message")).contains("PutKudu gave no reason", "bulletin");

        final List<Map<String, Object>> removed = details(steps.get(3), batches.get("removed.log"));
        assertThat(removed).singleElement().satisfies(row -> {
            assertThat(row).containsEntry("detail_seq", -1).containsEntry("error_processor", "FetchFile")
                    .containsEntry("file_name", "removed.log").containsEntry("line_content", null);
            assertThat((String) row.get("error_message")).contains("removed.log is not there");
        });
        assertThat(details(steps.get(5), batches.get("broken.log"))).as("after the repair")
                .allSatisfy(row -> assertThat(row).containsEntry("status", "SUCCESS").containsEntry("retry_count", 2)
                        .containsEntry("error_message", null));
        assertThat(details(steps.get(7), batches.get("hopeless.log"))).singleElement().satisfies(row -> assertThat(row)
                .containsEntry("status", "FAIL").containsEntry("retry_count", 3)
                .containsEntry("line_content", "this is no line of the log"));
    }

    private static List<Map<String, Object>> details(final Step step, final Object baseDts) {
        return step.details().stream().filter(row -> row.get("base_dts").equals(baseDts)).toList();
    }

    @Test
    void aReplayOfABatchThatTheLogHasClosedCountsOnFromTheTables() {
        upload("closed", Map.of("closed.batch.retention", RETENTION.toSeconds() + " sec")).start();
        final List<String> lines = new ArrayList<>(SampleLog.calls(12, 10).stream().map(NasCall::line).toList());
        lines.set(1, lines.get(1) + "\ta column more");
        lines.set(6, "no line");
        final Map<String, Object> atTheEnd = flow.load("calls.log", lines);
        assertThat(atTheEnd).containsEntry("status", "PARTIAL").containsEntry("error_count", 2);
        // The last thing that the log does with a batch is to write its row once more.
        Await.until("the batch to be closed", LOAD_DEADLINE, () -> flow.isIdle()
                && isClosed(flow.master(atTheEnd.get("base_dts"))), () -> flow.masters().toString());
        // Its failures would keep it in the state; it leaves where there is no room, or by hand.
        flow.processor("Load log").clearState();

        flow.repairPattern(LoadLogFlow.pattern(NasCall.COLUMNS.size(), "(?:\\t.*)?"));
        assertThat(flow.replay()).isEqualTo(2);

        assertThat(flow.masters()).singleElement().satisfies(master -> assertThat(master).containsEntry("status", "PARTIAL")
                .containsEntry("src_count", 10).containsEntry("load_count", 9).containsEntry("error_count", 1)
                .containsEntry("start_ts", atTheEnd.get("start_ts")).containsEntry("created_dt", atTheEnd.get("created_dt")));
        assertThat(flow.details()).extracting(row -> row.get("detail_seq") + " " + row.get("status") + " " + row.get("retry_count"))
                .containsExactly("2 SUCCESS 1", "7 FAIL 1");
    }

    @Test
    void aLineThatIsReadAgainKeepsItsNumberWhateverHappensToItsFile() {
        upload("read-again", Map.of()).start();
        final List<NasCall> calls = SampleLog.calls(16, 3);
        final List<String> lines = new ArrayList<>(calls.stream().map(NasCall::line).toList());
        lines.set(2, calls.get(2).with("output", TOO_LONG).line());
        final Object batch = flow.load("calls.log", lines).get("base_dts");

        flow.remove("calls.log");
        assertThat(flow.replay()).isEqualTo(1);
        assertThat(line(batch)).containsEntry("error_processor", "FetchFile").containsEntry("retry_count", 1)
                .containsEntry("record_key", "3").containsEntry("line_content", null);

        flow.repair("calls.log", lines.subList(0, 2));
        assertThat(flow.replay()).isEqualTo(1);
        assertThat(line(batch)).containsEntry("error_processor", "SplitText").containsEntry("retry_count", 2)
                .containsEntry("record_key", "3").containsEntry("line_content", null);
        assertThat((String) line(batch).get("error_message")).contains("has 2 lines now: line 3 is not there");

        flow.repair("calls.log", calls.stream().map(NasCall::line).toList());
        assertThat(flow.replay()).isEqualTo(1);
        assertThat(line(batch)).containsEntry("status", "SUCCESS").containsEntry("retry_count", 3);
        assertThat(flow.master(batch)).containsEntry("status", "SUCCESS").containsEntry("src_count", 3)
                .containsEntry("load_count", 3).containsEntry("error_count", 0);
        assertThat(table.rows()).containsExactlyInAnyOrderElementsOf(calls.stream().map(StoredCall::of).toList());
    }

    private Map<String, Object> line(final Object batch) {
        return flow.details(batch).stream().filter(row -> row.get("detail_seq").equals(3)).findFirst().orElseThrow();
    }

    private static boolean isClosed(final Map<String, Object> master) {
        final Instant written = (Instant) master.get("updated_dt");
        return !written.isBefore(((Instant) master.get("end_ts")).plus(RETENTION));
    }

    @Test
    void messagesAreNamedByTheirPartitionAndOffset() {
        flow = LoadLogFlow.upload(NIFI.server(), KUDU.server(), log, "kafka", FlowDefinition.read("nifi-nar/flows/kafka-to-kudu.json"));

        OtherSources.messagesAreNamedByTheirPartitionAndOffset(flow, table, "PutKudu");
    }

    @Test
    void rowsOfADatabaseAreNamedByTheirKey() {
        flow = LoadLogFlow.upload(NIFI.server(), KUDU.server(), log, "database", FlowDefinition.read("nifi-nar/flows/database-to-kudu.json"));

        OtherSources.rowsOfADatabaseAreNamedByTheirKey(flow, table, "PutKudu");
    }

    /** LoadLogEdgeCasesTest logs the same batch in Asia/Seoul. */
    @Test
    void theTimesOfABatchAreInstants() {
        LoadLogInstants.check(upload("utc", Map.of()));
    }

    @Test
    void asImportedOnlyTheQueryLacksItsConnectionPool() {
        assertThat(upload("imported", Map.of()).processor("Query what failed").validationErrors()).singleElement().asString()
                .contains("Database Connection Pooling Service is required");
    }

    @ParameterizedTest
    @MethodSource("moments")
    void nifiKilledInTheMiddleOfABatchLosesAndDoublesNothing(final int rowsLoaded) {
        final List<String> lines = new ArrayList<>();
        final List<NasCall> calls = new ArrayList<>();
        final List<Object> broken = new ArrayList<>();
        for (final NasCall call : SampleLog.calls(rowsLoaded, BIG_BATCH)) {
            if (lines.size() % BROKEN_EVERY == 0) {
                lines.add("broken " + lines.size());
                broken.add(lines.size());
            } else {
                lines.add(call.line());
                calls.add(call);
            }
        }
        upload("killed-at-" + rowsLoaded, Map.of("kudu.flowfiles.per.batch", "100")).start();
        flow.drop("big.log", lines);
        Await.until(rowsLoaded + " rows in the table", LOAD_DEADLINE, () -> table.count() >= rowsLoaded,
                () -> table.count() + " rows, " + flow.queued());

        NIFI.server().kill();
        assertThat(table.count()).as("killed in the middle").isLessThan(distinct(calls));
        NIFI.server().restart();

        flow.awaitFinal(1);
        assertThat(flow.masters()).singleElement().satisfies(master -> assertThat(master).containsEntry("status", "PARTIAL")
                .containsEntry("src_count", BIG_BATCH).containsEntry("load_count", calls.size())
                .containsEntry("error_count", broken.size()));
        assertThat(flow.details()).extracting(row -> row.get("detail_seq")).isEqualTo(broken);
        assertThat(flow.details()).allSatisfy(row -> assertThat(row).containsEntry("status", "FAIL")
                .containsEntry("line_content", "broken " + ((Integer) row.get("detail_seq") - 1)));
        assertThat(table.rows()).hasSize(distinct(calls)).allMatch(StoredCall::hasRightHash);
        assertThat(table.rows()).containsAll(calls.stream().map(StoredCall::of).toList());
    }

    static IntStream moments() {
        return IntStream.of("all".equals(System.getProperty("rowhash.kill.moments")) ? ALL_MOMENTS : TWO_MOMENTS);
    }

    @Test
    void kuduStoppedInTheMiddleOfABatchIsMadeUpForByAReplay() {
        final List<NasCall> calls = SampleLog.calls(11, 2_000);
        upload("without-kudu", Map.of()).start();
        flow.drop("calls.log", calls.stream().map(NasCall::line).toList());
        Await.until("the first rows", LOAD_DEADLINE, () -> table.count() >= 200);

        KUDU.server().kill();
        Await.until("a failure to wait for Kudu's return", LOAD_DEADLINE, () -> flow.queued().get("records for load_log_detail") > 0,
                () -> flow.queued().toString());
        Await.until("the log's own sink to fail, too", LOAD_DEADLINE,
                () -> !flow.processor("Write load_log_detail").bulletins().isEmpty());
        assertThat(flow.queued().get("records for load_log_detail")).as("what it could not write").isPositive();
        KUDU.server().restart();

        flow.awaitFinal(1);
        final Map<String, Object> master = flow.masters().get(0);
        final int failed = (Integer) master.get("error_count");
        assertThat(master).containsEntry("status", "PARTIAL").containsEntry("src_count", calls.size())
                .containsEntry("load_count", calls.size() - failed);
        assertThat(flow.details()).hasSize(failed).allSatisfy(row -> assertThat(row).containsEntry("status", "FAIL")
                .containsEntry("error_processor", "PutKudu"));

        assertThat(flow.replay()).isEqualTo(failed).isPositive();

        assertThat(flow.masters()).singleElement().satisfies(row -> assertThat(row).containsEntry("status", "SUCCESS")
                .containsEntry("load_count", calls.size()).containsEntry("error_count", 0));
        assertThat(table.rows()).hasSize(distinct(calls)).containsAll(calls.stream().map(StoredCall::of).toList());
    }

    private static int distinct(final List<NasCall> calls) {
        return (int) calls.stream().distinct().count();
    }
}
