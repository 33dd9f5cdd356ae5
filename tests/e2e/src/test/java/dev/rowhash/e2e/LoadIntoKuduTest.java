package dev.rowhash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowhash.runtime.Component;
import dev.rowhash.runtime.FlowProcessor.Verification;
import dev.rowhash.runtime.FlowQueue.FlowFile;
import dev.rowhash.runtime.LoadScenario;
import dev.rowhash.runtime.LoadScenario.Step;
import dev.rowhash.runtime.NasCall;
import dev.rowhash.runtime.NasCallFlow;
import dev.rowhash.runtime.NasCallTable;
import dev.rowhash.runtime.NasCallTable.StoredCall;
import dev.rowhash.runtime.NifiServer;
import dev.rowhash.runtime.NifiVersion;
import dev.rowhash.runtime.Project;
import dev.rowhash.runtime.ReferenceHash;
import dev.rowhash.runtime.SampleLog;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an operator of today's flow sees: NiFi 1.18.0 on Java 17, PutKudu, a real Kudu. */
class LoadIntoKuduTest {
    @RegisterExtension
    static final RunningNifi NIFI =
            new RunningNifi(() -> NifiServer.of(NifiVersion.V1_18_0).extension(Project.nar()));

    @RegisterExtension
    static final RunningKudu KUDU = new RunningKudu();

    @Test
    void everyLoadLeavesExactlyTheRowsItMust() {
        final NasCallTable table = NasCallTable.create(KUDU.server());
        final NasCallFlow flow = NasCallFlow.intoKudu(NIFI.server(), KUDU.server(), "scenario", NasCallFlow.computeRowHash());
        final List<Step> steps = new ArrayList<>();

        new LoadScenario(flow, table).run(steps::add);

        assertThat(steps).hasSize(4).allSatisfy(step -> assertThat(step.ok()).as(step.toString()).isTrue());
    }

    @Test
    void inPlaceOfTheGroovyScriptNoRowIsNew() {
        final NasCallTable table = NasCallTable.create(KUDU.server());
        final NasCallFlow flow = NasCallFlow.intoKudu(NIFI.server(), KUDU.server(), "drop-in", NasCallFlow.groovyScript(
                Project.root().resolve("groovy-compat/src/main/groovy/row_hash.groovy")));
        final List<NasCall> log = SampleLog.calls(1, 500);
        flow.load(log);
        final List<StoredCall> rowsOfTheScript = table.rows();
        assertThat(rowsOfTheScript).hasSize(new LinkedHashSet<>(log).size());

        flow.replaceHash(NasCallFlow.computeRowHash());
        flow.load(log);

        assertThat(flow.rejects()).isEmpty();
        assertThat(flow.hash().counters()).containsEntry("Rows Hashed", 500L);
        assertThat(table.rows()).containsExactlyInAnyOrderElementsOf(rowsOfTheScript);
    }

    @Test
    void whereTheColumnsAreMisspeltEachLineWaitsInFailureAndNothingIsLoaded() {
        final NasCallTable table = NasCallTable.create(KUDU.server());
        final NasCallFlow flow = NasCallFlow.intoKudu(NIFI.server(), KUDU.server(), "misspelt",
                Component.of("ComputeRowHash").set("Columns", "TS, EPID"));
        final List<NasCall> log = SampleLog.calls(2, 20);

        flow.load(log);

        assertThat(flow.rejects()).containsExactly(Map.entry(NasCallFlow.REJECTED_BY_HASH, log.size()));
        assertThat(flow.queue(NasCallFlow.REJECTED_BY_HASH).flowFiles())
                .allSatisfy(LoadIntoKuduTest::saysThatNoColumnHasAValue)
                .extracting(FlowFile::content)
                .containsExactlyInAnyOrderElementsOf(log.stream().map(NasCall::line).toList());
        assertThat(flow.hash().bulletins()).anyMatch(bulletin -> bulletin.contains("None of the columns"));
        assertThat(table.rows()).isEmpty();
    }

    @Test
    void aRowWithoutValuesGoesToFailureAloneAndIsCounted() {
        final RowFlow flow = RowFlow.of(NIFI.server(), "a,b");

        final RowFlow.Result result = flow.run(List.of(Map.of("a", "1"), Map.of("other", "2"), Map.of("b", "3")));

        assertThat(result.succeeded()).extracting(flowFile -> flowFile.attribute(NasCall.ROW_HASH))
                .containsExactlyInAnyOrder(hashOf("1", ""), hashOf("", "3"));
        assertThat(result.failed()).singleElement().satisfies(LoadIntoKuduTest::saysThatNoColumnHasAValue);
        assertThat(flow.hash().counters()).containsEntry("Rows Hashed", 2L).containsEntry("Rows Refused", 1L);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {"ts,,epid; no name", "ts,epid,ts; twice", "ts,row_hash; row_hash"})
    void aColumnListThatCannotBeIsInvalidWithAMessage(final String columns, final String reason) {
        assertThat(RowFlow.of(NIFI.server(), columns).hash().validationErrors())
                .anyMatch(error -> error.contains("Columns") && error.contains(reason));
    }

    @Test
    void withoutAColumnListItIsInvalid() {
        assertThat(RowFlow.of(NIFI.server(), Component.of("ComputeRowHash")).hash().validationErrors())
                .anyMatch(error -> error.contains("'Columns' is invalid because Columns is required"));
    }

    @Test
    void theVerifyButtonHashesAKnownRowAndNamesAMissingAttribute() {
        final List<Verification> results = RowFlow.of(NIFI.server(), "ts,epid,input").hash()
                .verify(Map.of("ts", "2026-03-02 09:00:00", "epid", "EP1"));

        assertThat(results).anyMatch(result -> result.step().equals("Load the native library")
                && result.outcome().equals("SUCCESSFUL") && result.explanation().contains("linux-x86_64"));
        assertThat(results).anyMatch(result -> result.step().equals("Hash a known row")
                && result.outcome().equals("SUCCESSFUL"));
        assertThat(results).anyMatch(result -> result.step().equals("Find the columns among the attributes")
                && result.outcome().equals("FAILED") && result.explanation().contains("input"));
    }

    private static void saysThatNoColumnHasAValue(final FlowFile rejected) {
        assertThat(rejected.attribute("error_message")).contains("None of the columns", "Rows Without Values");
        assertThat(rejected.attribute("error_processor")).isEqualTo("ComputeRowHash");
        assertThat(rejected.attributes()).doesNotContainKey(NasCall.ROW_HASH);
    }

    private static String hashOf(final String a, final String b) {
        return ReferenceHash.of(Map.of("a", a, "b", b));
    }
}
