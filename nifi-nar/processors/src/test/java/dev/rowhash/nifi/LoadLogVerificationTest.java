package dev.rowhash.nifi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowhash.nifi.jni.ForkedJvm;
import dev.rowhash.nifi.jni.NativeLibrary;
import java.util.List;
import java.util.Map;
import org.apache.nifi.components.ConfigVerificationResult;
import org.apache.nifi.components.ConfigVerificationResult.Outcome;
import org.apache.nifi.components.state.Scope;
import org.apache.nifi.reporting.InitializationException;
import org.apache.nifi.util.TestRunner;
import org.apache.nifi.util.TestRunners;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoadLogVerificationTest {

    @Test
    void theLogSucceedsWithTheAttributesOfAnItem() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueueItems("u", 2).trigger();
        final Map<String, String> state = flow.state();
        final List<ConfigVerificationResult> steps = verify(flow, LoadLogFlow.item("v", 1, 2));

        assertThat(steps).extracting(ConfigVerificationResult::getOutcome).containsOnly(Outcome.SUCCESSFUL);
        assertThat(steps).extracting(ConfigVerificationResult::getVerificationStepName).containsExactly(
                "Load the native library", "Read the load log's state", "Find the batch in the attributes");
        assertThat(steps.get(0).getExplanation()).contains(System.getProperty("os.arch"), "librowhash");
        assertThat(steps.get(1).getExplanation()).containsPattern("It can be read. 1 batches .* in [1-9]\\d* of 1,000,000");
        assertThat(steps.get(2).getExplanation()).contains("NAS, R01, bronze, nas_copilot_call, 20260225143000");
        assertThat(flow.state()).as("nothing is written").isEqualTo(state);
    }

    @Test
    void aLogThatNeverStartedIsShownNoState() {
        final LoadLogFlow flow = new LoadLogFlow();
        final ConfigVerificationResult step = verify(flow, Map.of()).get(1);
        assertThat(step.getOutcome()).isEqualTo(Outcome.SKIPPED);
        assertThat(step.getExplanation()).contains("start it once");
        assertThat(flow.state()).isEmpty();
    }

    @Test
    void aStateThatWasClearedHasNoBatchesAndIsNotMadeAnew() throws Exception {
        final LoadLogFlow flow = new LoadLogFlow().trigger();
        flow.runner.getStateManager().clear(Scope.CLUSTER);
        assertThat(verify(flow, Map.of()).get(1).getExplanation()).contains("0 batches are in it", " 0 of");
        assertThat(flow.state()).isEmpty();
    }

    @Test
    void withoutAttributesThereIsNoBatchToFind() {
        final ConfigVerificationResult step = verify(new LoadLogFlow(), Map.of()).get(2);
        assertThat(step.getOutcome()).isEqualTo(Outcome.SKIPPED);
        assertThat(step.getExplanation()).contains("No attributes were given");
    }

    @ParameterizedTest
    @CsvSource({"base_dts,2026,base_dts is '2026'", "regn,,regn is empty", "fragment.index,one,fragment.index is 'one'"})
    void attributesThatAreNoEventSayWhy(final String attribute, final String value, final String reason) {
        final ConfigVerificationResult step = verify(new LoadLogFlow(), LoadLogFlow.item("u", 1, 1, attribute, value)).get(2);
        assertThat(step.getOutcome()).isEqualTo(Outcome.FAILED);
        assertThat(step.getExplanation()).contains("would go to failure", reason);
    }

    @Test
    void thePropertiesAreWhatIsEvaluated() {
        final LoadLogFlow flow = new LoadLogFlow("Base Timestamp", "${my.time}");
        final Map<String, String> attributes = LoadLogFlow.nas("base_dts", null, "my.time", "20260101000000");
        assertThat(verify(flow, attributes).get(2).getExplanation()).contains("20260101000000");
    }

    @Test
    void aStateThatNoLogWroteFails() throws Exception {
        final LoadLogFlow flow = new LoadLogFlow().trigger();
        flow.runner.getStateManager().setState(Map.of("ledger.parts", "1", "ledger.0", "damaged"), Scope.CLUSTER);
        final ConfigVerificationResult step = verify(flow, Map.of()).get(1);
        assertThat(step.getOutcome()).isEqualTo(Outcome.FAILED);
        assertThat(step.getExplanation()).contains("damaged");
    }

    @Test
    void aStateThatCannotBeReachedFails() {
        final LoadLogFlow flow = new LoadLogFlow().trigger();
        flow.runner.getStateManager().setFailOnStateGet(Scope.CLUSTER, true);
        final ConfigVerificationResult step = verify(flow, Map.of()).get(1);
        assertThat(step.getOutcome()).isEqualTo(Outcome.FAILED);
        assertThat(step.getExplanation()).contains("cannot be reached", "state-management.xml");
    }

    @Test
    void theReplaySucceedsWithItsReader() {
        final List<ConfigVerificationResult> steps = verifyReplay(true);
        assertThat(steps).extracting(ConfigVerificationResult::getOutcome).containsOnly(Outcome.SUCCESSFUL);
        assertThat(steps).extracting(ConfigVerificationResult::getVerificationStepName).containsExactly(
                "Load the native library", "Find the Record Reader", "Decide for a known record");
        assertThat(steps.get(1).getExplanation()).contains("reader");
        assertThat(steps.get(2).getExplanation()).contains("line with retry 2");
    }

    @Test
    void theReplayMissesItsReader() {
        final ConfigVerificationResult step = verifyReplay(false).get(1);
        assertThat(step.getOutcome()).isEqualTo(Outcome.FAILED);
        assertThat(step.getExplanation()).contains("choose a Record Reader");
    }

    @Test
    void anotherDecisionForTheKnownRecordFails() {
        final ConfigVerificationResult step = LoadLogVerification.decide("row with retry 2");
        assertThat(step.getOutcome()).isEqualTo(Outcome.FAILED);
        assertThat(step.getExplanation()).contains("right is row with retry 2", "install the NAR again");
    }

    @Test
    void aLibraryThatDoesNotLoadLeavesTheOtherStepsOut() throws Exception {
        final ForkedJvm.Result result = ForkedJvm.run(
                List.of("-D" + NativeLibrary.PATH_PROPERTY + "=/nowhere/librowhash.so"), NoLibraryMain.class);

        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output()).contains("[FAILED, SKIPPED, SKIPPED] [FAILED, SKIPPED, SKIPPED]", "/nowhere/librowhash.so");
    }

    static final class NoLibraryMain {
        public static void main(final String[] arguments) {
            final List<ConfigVerificationResult> log = new EmitLoadLog().verify(
                    TestRunners.newTestRunner(new EmitLoadLog()).getProcessContext(), null, Map.of());
            System.out.println(outcomes(log) + " " + outcomes(verifyReplay(true)) + " " + log.get(0).getExplanation());
        }

        private static List<Outcome> outcomes(final List<ConfigVerificationResult> steps) {
            return steps.stream().map(ConfigVerificationResult::getOutcome).toList();
        }
    }

    private static List<ConfigVerificationResult> verify(final LoadLogFlow flow, final Map<String, String> attributes) {
        return flow.processor.verify(flow.runner.getProcessContext(), flow.runner.getLogger(), attributes);
    }

    private static List<ConfigVerificationResult> verifyReplay(final boolean hasReader) {
        final ReplayLoadLog processor = new ReplayLoadLog();
        final TestRunner runner = TestRunners.newTestRunner(processor);
        if (hasReader) {
            final JsonLines reader = new JsonLines();
            try {
                runner.addControllerService("reader", reader);
            } catch (final InitializationException e) {
                throw new AssertionError(e);
            }
            runner.enableControllerService(reader);
            runner.setProperty("Record Reader", "reader");
        }
        return processor.verify(runner.getProcessContext(), runner.getLogger(), Map.of());
    }
}
