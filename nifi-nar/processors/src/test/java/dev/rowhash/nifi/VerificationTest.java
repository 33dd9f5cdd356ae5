package dev.rowhash.nifi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowhash.nifi.jni.RowHasher;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.nifi.components.ConfigVerificationResult;
import org.apache.nifi.components.ConfigVerificationResult.Outcome;
import org.apache.nifi.util.TestRunner;
import org.apache.nifi.util.TestRunners;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerificationTest {

    @Test
    void saysWhatIsLoadedAndThatItHashesRight() {
        final List<ConfigVerificationResult> steps = verify("a,b", Map.of("a", "x", "b", "y", "other", "z"));

        assertThat(steps).extracting(ConfigVerificationResult::getOutcome).containsOnly(Outcome.SUCCESSFUL);
        assertThat(steps).extracting(ConfigVerificationResult::getVerificationStepName).containsExactly(
                "Load the native library", "Hash a known row", "Find the columns among the attributes");
        assertThat(steps.get(0).getExplanation()).contains(System.getProperty("os.arch"), "librowhash");
        assertThat(steps.get(1).getExplanation()).contains("x|\\N", "d9bae88171a3f697c123a8336678a506");
        assertThat(steps.get(2).getExplanation()).contains("a, b");
    }

    @ParameterizedTest
    @CsvSource({"x|\\N,00000000000000000000000000000000", "x|,d9bae88171a3f697c123a8336678a506"})
    void failsWhenTheKnownRowHasAnotherTextOrHash(final String text, final String hash) {
        final ConfigVerificationResult step = new Verification(Map.of(), text, hash)
                .run(() -> RowHasher.open("a", "row_hash", "Compatible")).get(1);

        assertThat(step.getOutcome()).isEqualTo(Outcome.FAILED);
        assertThat(step.getExplanation()).contains("right are " + text + " and " + hash, "install the NAR again");
    }

    @Test
    void recordsAreHashedAsRecords() {
        final ComputeRowHash processor = new ComputeRowHash();
        final TestRunner runner = TestRunners.newTestRunner(processor);
        runner.setProperty("Columns", "b,a");
        runner.setProperty("Row Source", "Records");
        final List<ConfigVerificationResult> steps = processor.verify(runner.getProcessContext(), runner.getLogger(), Map.of());

        assertThat(steps).extracting(ConfigVerificationResult::getOutcome).containsOnly(Outcome.SUCCESSFUL);
        assertThat(steps).extracting(ConfigVerificationResult::getVerificationStepName)
                .containsExactly("Load the native library", "Hash a known row", "Check the columns");
        assertThat(steps.get(1).getExplanation()).contains("d9bae88171a3f697c123a8336678a506");
        assertThat(steps.get(2).getExplanation()).contains("a, b");

        runner.setProperty("Columns", "a,a");
        assertThat(processor.verify(runner.getProcessContext(), runner.getLogger(), Map.of()).get(2).getOutcome())
                .isEqualTo(Outcome.FAILED);
    }

    @Test
    void aKnownRowOfAContentMustHaveItsHash() {
        final List<ConfigVerificationResult> steps = new Verification(Map.of()).run(() -> "0".repeat(32), () -> "columns");
        assertThat(steps.get(1).getOutcome()).isEqualTo(Outcome.FAILED);
        assertThat(steps.get(1).getExplanation()).contains("right is d9bae88171a3f697c123a8336678a506", "install the NAR");
    }

    @Test
    void closesWhatItOpens() {
        final int before = RowHasher.openCount();
        verify("a", Map.of("a", "x"));
        assertThat(RowHasher.openCount()).isEqualTo(before);
    }

    @Test
    void namesEachColumnThatNoAttributeHas() {
        final ConfigVerificationResult step = verify("a,b,c,d", Map.of("b", "", "B", "x", "d", "y")).get(2);

        assertThat(step.getOutcome()).isEqualTo(Outcome.FAILED);
        assertThat(step.getExplanation()).contains("No attribute is named a, c.");
    }

    @Test
    void skipsTheColumnsWhenNoAttributesAreGiven() {
        final ConfigVerificationResult step = verify("b,a", new HashMap<>()).get(2);

        assertThat(step.getOutcome()).isEqualTo(Outcome.SKIPPED);
        assertThat(step.getExplanation()).contains("No attributes were given").contains("a, b");
    }

    @Test
    void saysWhatIsWrongWithTheColumns() {
        final ConfigVerificationResult step = verify("a,b,a", Map.of("a", "x")).get(2);

        assertThat(step.getOutcome()).isEqualTo(Outcome.FAILED);
        assertThat(step.getExplanation()).contains("a");
    }

    private static List<ConfigVerificationResult> verify(final String columns, final Map<String, String> attributes) {
        final ComputeRowHash processor = new ComputeRowHash();
        final TestRunner runner = TestRunners.newTestRunner(processor);
        runner.setProperty("Columns", columns);
        return processor.verify(runner.getProcessContext(), runner.getLogger(), attributes);
    }
}
