package dev.rowhash.nifi;

import static dev.rowhash.nifi.LoadLogFlow.nas;
import static dev.rowhash.nifi.LoadLogFlow.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rowhash.nifi.jni.ContentHasher;
import dev.rowhash.nifi.jni.ForkedJvm;
import dev.rowhash.nifi.jni.LoadEvents;
import dev.rowhash.nifi.jni.Md5;
import dev.rowhash.nifi.jni.RowHasher;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.nifi.components.ConfigVerificationResult;
import org.apache.nifi.components.ConfigVerificationResult.Outcome;
import org.apache.nifi.components.ValidationResult;
import org.apache.nifi.provenance.ProvenanceEventRecord;
import org.apache.nifi.provenance.ProvenanceEventType;
import org.apache.nifi.util.MockFlowFile;
import org.apache.nifi.util.MockProcessContext;
import org.apache.nifi.util.TestRunner;
import org.apache.nifi.util.TestRunners;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** ComputeRowHash with Row Source at NDJSON Content, Delimited Content and Pattern Content. */
@Timeout(300)
class ContentModeTest {

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String NDJSON = "NDJSON Content";
    private static final String DELIMITED = "Delimited Content";
    private static final String PATTERN = "Pattern Content";
    private static final String KEY_VALUE = "^a=(?<a>[^;]*);b=(?<b>.*)$";

    private int openBefore;

    @BeforeEach
    void countOpenHashers() {
        openBefore = RowHasher.openCount() + ContentHasher.openCount();
    }

    @AfterEach
    void everyHasherIsClosed() {
        assertThat(RowHasher.openCount() + ContentHasher.openCount()).as("hashers that are open").isEqualTo(openBefore);
    }

    // Validation

    @Test
    void aModeNeedsItsOwnPropertiesOnly() {
        assertThat(problems(runner(NDJSON))).isEmpty();
        assertThat(problems(runner(DELIMITED))).isEmpty();
        assertThat(problems(runner(PATTERN))).hasSize(1).first().asString().contains("Pattern is required");
        assertThat(problems(runner(PATTERN, "Pattern", KEY_VALUE))).isEmpty();
        assertThat(problems(runner(DELIMITED, "Empty Values", "Write Null"))).hasSize(1).first().asString()
                .contains("Key Columns is required");
        assertThat(problems(runner(DELIMITED, "Empty Values", "Write Null", "Key Columns", "a"))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "Delimited Content; Delimiter; ab; ab",
        "Delimited Content; Header; a,c; b",
        "Delimited Content; Header; a,b,a; a",
        "Delimited Content; Quoting; Other; Quoting",
        "Delimited Content; Output Format; Other; Output Format",
        "Delimited Content; Empty Values; Other; Empty Values",
        "Pattern Content; Pattern; (?<a>x); b",
        "Pattern Content; Pattern; (?<a>x; unclosed",
        "Pattern Content; Pattern; (?<a>x)(?<b>y)(?=z); look-around",
        "NDJSON Content; Maximum Line Length; 0 B; Maximum Line Length",
        "NDJSON Content; Maximum Line Length; 2 GB; Maximum Line Length",
        "NDJSON Content; Maximum Line Length; long; Maximum Line Length",
        "NDJSON Content; Columns; a,b,a; twice",
        "NDJSON Content; Columns; a,${b}; Expression Language"})
    void whatDoesNotFitIsInvalidAndNamed(final String mode, final String property, final String value, final String named) {
        assertThat(problems(runner(mode, property, value))).isNotEmpty().first().asString().contains(named);
    }

    @Test
    void delimitedTextHasNoNull() {
        assertThat(problems(runner(DELIMITED, "Empty Values", "Write Null", "Key Columns", "a", "Output Format",
                "Same as Input"))).hasSize(1).first().asString().contains("'Empty Values'", "has no null");
    }

    @ParameterizedTest
    @ValueSource(strings = {NDJSON, DELIMITED})
    void namesThatAreAttributesInTheOtherModeAreNamesLikeAny(final String mode) {
        assertThat(problems(runner(mode, "Columns", "uuid,error_message"))).isEmpty();
    }

    // Hashing

    @Test
    void ndjsonKeepsEachByteAndGetsTheHash() {
        final TestRunner runner = runner(NDJSON);
        enqueue(runner, "{\"b\" : 1.50,\"a\":\"x\", \"z\":[1]}\n\n{\"a\":\"\\u00e9\"}");
        runner.run();

        final MockFlowFile hashed = success(runner);
        hashed.assertContentEquals("{\"b\" : 1.50,\"a\":\"x\", \"z\":[1],\"row_hash\":\"" + Md5.of("x|1.5") + "\"}\n\n"
                + "{\"a\":\"\\u00e9\",\"row_hash\":\"" + Md5.of("é|\\N") + "\"}");
        assertCounts(hashed, 2, 0);
        hashed.assertAttributeEquals("mime.type", "application/x-ndjson");
        hashed.assertAttributeEquals("filename", "a.log");
        assertThat(runner.getCounterValue("Rows Hashed")).isEqualTo(2);
        assertThat(runner.getCounterValue("Rows Refused")).isNull();
        assertThat(runner.getProvenanceEvents()).filteredOn(event ->
                        event.getEventType() == ProvenanceEventType.CONTENT_MODIFIED)
                .extracting(ProvenanceEventRecord::getDetails)
                .containsExactly("2 rows with row_hash of the columns a, b in the form Compatible");
        assertThat(runner.getLogger().getWarnMessages()).isEmpty();
    }

    @Test
    void delimitedTextBecomesNdjson() {
        final TestRunner runner = runner(DELIMITED, "Hash Column", "key");
        enqueue(runner, "b,a,c\n1,\"x,\"\"y\"\"\",\n,z,3\n");
        runner.run();
        final MockFlowFile hashed = success(runner);
        hashed.assertContentEquals("{\"b\":\"1\",\"a\":\"x,\\\"y\\\"\",\"c\":\"\",\"key\":\"" + Md5.of("x,\"y\"|1") + "\"}\n"
                + "{\"b\":\"\",\"a\":\"z\",\"c\":\"3\",\"key\":\"" + Md5.of("z|\\N") + "\"}\n");
        hashed.assertAttributeEquals("mime.type", "application/x-ndjson");
        assertCounts(hashed, 2, 0);
    }

    @Test
    void emptyValuesCanBeNullExceptInTheKey() {
        final TestRunner runner = runner(DELIMITED, "Empty Values", "Write Null", "Key Columns", "b,row_hash",
                "Header", "a,b,c", "Delimiter", "\\t", "Quoting", "None");
        enqueue(runner, "\"x\t\t\n");
        runner.run();
        success(runner).assertContentEquals("{\"a\":\"\\\"x\",\"b\":\"\",\"c\":null,\"row_hash\":\"" + Md5.of("\"x|\\N") + "\"}\n");
    }

    @Test
    void delimitedTextCanStayDelimited() {
        final TestRunner runner = runner(DELIMITED, "Output Format", "Same as Input", "Delimiter", "|");
        enqueue(runner, "a|b\r\nx|\r\n");
        runner.run();
        success(runner).assertContentEquals("a|b|row_hash\r\nx||" + Md5.of("x|\\N") + "\r\n");
        success(runner).assertAttributeEquals("mime.type", "text/csv");
    }

    @Test
    void theGroupsOfAPatternAreTheColumns() {
        final TestRunner runner = runner(PATTERN, "Pattern", KEY_VALUE, "Empty Values", "Write Null", "Key Columns", "a");
        enqueue(runner, "a=;b=y\na=x;b=\n");
        runner.run();
        success(runner).assertContentEquals("{\"a\":\"\",\"b\":\"y\",\"row_hash\":\"" + Md5.of("\\N|y") + "\"}\n"
                + "{\"a\":\"x\",\"b\":null,\"row_hash\":\"" + Md5.of("x|\\N") + "\"}\n");
    }

    @Test
    void theEscapedFormIsThatOfTheOtherModes() {
        final TestRunner runner = runner(NDJSON, "Canonical Form", "Escaped", "Ambiguous Rows", "Route to Failure");
        enqueue(runner, "{\"a\":\"x|y\",\"b\":\"\\\\N\"}\n");
        runner.run();
        assertThat(success(runner).getContent()).contains(Md5.of("x\\|y|\\\\N"));
    }

    @Test
    void anEmptyContentIsASuccessWithoutRows() {
        for (final String mode : List.of(NDJSON, DELIMITED)) {
            final TestRunner runner = runner(mode);
            enqueue(runner, "");
            runner.run();
            assertCounts(success(runner), 0, 0);
        }
    }

    @Test
    void aTriggerTakesOneContentAndEachKeepsItsOwn() {
        final TestRunner runner = runner(NDJSON);
        enqueue(runner, "{\"a\":1}");
        enqueue(runner, "{\"a\":2}");
        runner.run(1, false);
        runner.assertTransferCount("success", 1);
        runner.run(2, true, false);
        assertThat(runner.getFlowFilesForRelationship("success")).extracting(MockFlowFile::getContent)
                .containsExactly("{\"a\":1,\"row_hash\":\"" + Md5.of("1|\\N") + "\"}", "{\"a\":2,\"row_hash\":\"" + Md5.of("2|\\N") + "\"}");
    }

    @Test
    void manyThreadsShareOneProcessor() {
        final TestRunner runner = runner(NDJSON);
        runner.setThreadCount(4);
        IntStream.range(0, 40).forEach(i -> enqueue(runner, IntStream.range(0, 500)
                .mapToObj(row -> "{\"a\":\"file " + i + "\",\"b\":" + row + "}\n").collect(Collectors.joining())));
        runner.run(60);
        runner.assertAllFlowFilesTransferred("success", 40);
        assertThat(runner.getCounterValue("Rows Hashed")).isEqualTo(20_000);
        for (final MockFlowFile hashed : runner.getFlowFilesForRelationship("success")) {
            final String file = hashed.getContent().substring(6, hashed.getContent().indexOf("\",\"b\""));
            assertThat(hashed.getContent().lines()).hasSize(500).element(499).asString().contains(Md5.of(file + "|499"));
        }
    }

    @Test
    void aStartAfterAStartThatFailedLeavesNoHasherBehind() {
        final ComputeRowHash processor = new ComputeRowHash();
        final TestRunner runner = TestRunners.newTestRunner(processor);
        runner.setProperty("Columns", "a");
        runner.setProperty("Row Source", NDJSON);
        processor.openHasher(runner.getProcessContext());
        processor.openHasher(runner.getProcessContext());
        assertThat(ContentHasher.openCount() + RowHasher.openCount()).isEqualTo(openBefore + 1);
        processor.closeHasher();
    }

    // Bad rows

    @Test
    void badRowsLeaveAsRejectsAndTheGoodOnesPass() throws IOException {
        final TestRunner runner = runner(NDJSON, "Ambiguous Rows", "Route to Failure", "Maximum Line Length", "200 B");
        enqueue(runner, "{\"a\":\"one\"}\n\n{\"a\":[1]}\n{\"a\":\n{\"c\":\"no value\"}\n{\"a\":\"x|y\"}\n{\"a\":\"" + "l".repeat(300)
                + "\"}\n{\"a\":\"last\"}\n");
        runner.run();

        final MockFlowFile hashed = runner.getFlowFilesForRelationship("success").get(0);
        hashed.assertContentEquals("{\"a\":\"one\",\"row_hash\":\"" + Md5.of("one|\\N") + "\"}\n\n"
                + "{\"a\":\"last\",\"row_hash\":\"" + Md5.of("last|\\N") + "\"}\n");
        assertCounts(hashed, 2, 5);
        hashed.assertAttributeNotExists("error_message");

        final MockFlowFile rejects = failure(runner);
        rejects.assertAttributeEquals("record.count", "5");
        rejects.assertAttributeEquals("rejects.count", "5");
        rejects.assertAttributeEquals("load.count", "7");
        rejects.assertAttributeEquals("mime.type", "application/x-ndjson");
        rejects.assertAttributeEquals("filename", "a.log");
        rejects.assertAttributeEquals("error_processor", "Hash the call");
        assertThat(rejects.getAttribute("error_message")).isEqualTo("5 of 7 rows are refused; the first, row 2:"
                + " column 'a': arrays, maps and records cannot be hashed");
        final List<JsonNode> rows = rows(rejects);
        assertThat(rows).extracting(row -> row.get("row_index").intValue()).containsExactly(2, 3, 4, 5, 6);
        assertThat(rows).extracting(row -> row.get("line_number").intValue()).containsExactly(3, 4, 5, 6, 7);
        assertThat(rows).extracting(row -> row.get("line_content").textValue())
                .containsExactly("{\"a\":[1]}", "{\"a\":", "{\"c\":\"no value\"}", "{\"a\":\"x|y\"}", null);
        assertThat(rows.get(2).get("error_message").textValue()).contains("None of the columns a,b has a value", "Rows Without");
        assertThat(rows.get(3).get("error_message").textValue()).startsWith("Column 'a' has a value with |");
        assertThat(rejects.getContent().lines()).allMatch(LoadEvents::isReject);
        assertThat(runner.getCounterValue("Rows Refused")).isEqualTo(5);
        assertThat(runner.getCounterValue("Ambiguous Rows")).isEqualTo(1);
        assertThat(runner.getLogger().getWarnMessages()).hasSize(1);
    }

    @Test
    void rowsWithoutValuesCanBeAllowed() {
        final TestRunner runner = runner(NDJSON, "Rows Without Values", "Allow");
        enqueue(runner, "{}\n");
        runner.run();
        assertThat(success(runner).getContent()).contains(Md5.of("\\N|\\N"));
    }

    @Test
    void aLineThatThePatternDoesNotMatchIsRefused() throws IOException {
        final TestRunner runner = runner(PATTERN, "Pattern", KEY_VALUE);
        enqueue(runner, "a=x;b=y\n# a \"comment\"\\\n");
        runner.run();
        assertThat(rows(failure(runner)).get(0).get("line_content").textValue()).isEqualTo("# a \"comment\"\\");
        assertThat(failure(runner).getAttribute("error_message")).startsWith("1 of 2 rows are refused; the first, row 2: ");
    }

    @Test
    void whereEveryRowIsBadOnlyTheRejectsAreLeft() {
        final TestRunner runner = runner(NDJSON);
        enqueue(runner, "one\ntwo\n");
        runner.run();
        runner.assertTransferCount("success", 0);
        failure(runner).assertAttributeEquals("rejects.count", "2");
        failure(runner).assertAttributeEquals("load.count", "2");
    }

    @Test
    void aContentWhoseHeaderLacksAColumnGoesToFailureAsItCame() {
        final TestRunner runner = runner(DELIMITED);
        enqueue(runner, "a,B\nx,y\n");
        runner.run();
        runner.assertAllFlowFilesTransferred("failure", 1);
        final MockFlowFile refused = failure(runner);
        refused.assertContentEquals("a,B\nx,y\n");
        assertThat(refused.getAttribute("error_message")).contains("b");
        refused.assertAttributeEquals("error_processor", "Hash the call");
        for (final String count : List.of("record.count", "rejects.count", "load.count")) {
            refused.assertAttributeNotExists(count);
        }
        assertThat(runner.getLogger().getErrorMessages()).hasSize(1);
    }

    @Test
    void whatWasRefusedAndIsSentBackIsNoFailureAnyMore() {
        final TestRunner runner = runner(NDJSON);
        runner.enqueue("{\"a\":1}", Map.of("error_message", "old", "error_processor", "Hash the call", "rejects.count", "9"));
        runner.run();
        success(runner).assertAttributeNotExists("error_processor");
        success(runner).assertAttributeNotExists("error_message");
        assertCounts(success(runner), 1, 0);
    }

    @Test
    void aPanicInTheLibraryLosesNothing() throws Exception {
        final ForkedJvm.Result result = ForkedJvm.run(List.of(ForkedJvm.testHooks()), PanicMain.class);
        assertThat(result.exitCode()).as(result.output()).isZero();
    }

    /** Runs in a JVM with the library that panics on demand. */
    static final class PanicMain {
        public static void main(final String[] arguments) {
            final TestRunner runner = runner(NDJSON);
            final String content = "{\"a\":\"x\"}\n{\"a\":\"rowhash-test-hook:panic\"}\n";
            enqueue(runner, content);
            enqueue(runner, "{\"a\":\"x\"}\n");
            runner.run(2);
            failure(runner).assertContentEquals(content);
            assertThat(failure(runner).getAttribute("error_message")).contains("could not be hashed", "this panic");
            runner.assertTransferCount("success", 1);
        }
    }

    // The load log

    @Test
    void theLoadLogCountsGoodRowsAndBadOnesOfAFile() {
        final TestRunner runner = runner(DELIMITED);
        runner.enqueue("a,b\n1,x\n2\n3,z\n4,y,\n5,\"w\"\n", nas());
        runner.run();
        final LoadLogFlow log = new LoadLogFlow();
        // As PutKudu passes them on: record.count is what it wrote.
        runner.getFlowFilesForRelationship("success").forEach(hashed -> pass(hashed, log));
        pass(failure(runner), log);
        log.trigger().settle();

        assertThat(log.tables.master()).isEqualTo("PARTIAL 5 = 3 + 2");
        assertThat(log.tables.details()).containsOnlyKeys(2, 4);
        assertThat(log.tables.detail(2).get("line_content").textValue()).isEqualTo("2");
        assertThat(log.tables.detail(2).get("error_processor").textValue()).isEqualTo("Hash the call");
        assertThat(log.tables.detail(4).get("error_message").textValue()).isNotBlank();
        assertThat(log.refused).isEmpty();
    }

    @Test
    void theLoadLogCountsAFileOfWhichEveryRowIsBad() {
        final TestRunner runner = runner(NDJSON);
        runner.enqueue("one\ntwo\n", nas());
        runner.run();
        final LoadLogFlow log = new LoadLogFlow();
        pass(failure(runner), log);
        log.trigger().settle();
        assertThat(log.tables.master()).isEqualTo("FAIL 2 = 0 + 2");
    }

    @Test
    void theLoadLogCountsAnEmptyFileAndARefusedOne() {
        final TestRunner runner = runner(DELIMITED);
        runner.enqueue("a,b\n", nas());
        runner.enqueue("a\nx\n", with(nas("filename", "b.log"), "base_dts", "20260225143001"));
        runner.run(2);
        final LoadLogFlow log = new LoadLogFlow();
        runner.getFlowFilesForRelationship("success").forEach(hashed -> pass(hashed, log));
        pass(failure(runner), log);
        log.trigger().settle();
        assertThat(log.tables.master("20260225143000")).isEqualTo("SUCCESS 0 = 0 + 0");
        assertThat(log.tables.master("20260225143001")).startsWith("FAIL");
    }

    @Test
    void theLoadLogCountsARefusalOfTheSinkInFull() {
        final TestRunner runner = runner(NDJSON);
        runner.enqueue("{\"a\":1}\nbad\n{\"a\":3}\n", nas());
        runner.run();
        final LoadLogFlow log = new LoadLogFlow();
        final MockFlowFile good = runner.getFlowFilesForRelationship("success").get(0);
        final Map<String, String> attributes = new HashMap<>(good.getAttributes());
        attributes.putAll(Map.of("record.count", "1", "error_processor", "PutKudu", "error_message", "no tablet"));
        log.enqueue(good.getContent(), attributes);
        pass(failure(runner), log);
        log.trigger().settle();
        assertThat(log.tables.masterRecord().get("src_count").intValue()).isEqualTo(3);
        assertThat(log.tables.masterRecord().get("load_count").intValue()).isZero();
    }

    private static void pass(final MockFlowFile flowFile, final LoadLogFlow log) {
        log.enqueue(flowFile.getContent(), flowFile.getAttributes());
    }

    // Verify

    @ParameterizedTest
    @ValueSource(strings = {NDJSON, DELIMITED, PATTERN})
    void verifyHashesAKnownRowThroughTheMode(final String mode) {
        final List<ConfigVerificationResult> steps = verify(runner(mode, "Pattern", KEY_VALUE));
        assertThat(steps).extracting(ConfigVerificationResult::getVerificationStepName)
                .containsExactly("Load the native library", "Hash a known row", "Check the columns");
        assertThat(steps).extracting(ConfigVerificationResult::getOutcome).containsOnly(Outcome.SUCCESSFUL);
        assertThat(steps.get(1).getExplanation()).contains("d9bae88171a3f697c123a8336678a506");
        assertThat(steps.get(2).getExplanation()).contains("a, b");
    }

    @Test
    void verifyNamesWhatTheColumnsDoNotFit() {
        assertThat(verify(runner(PATTERN, "Pattern", "(?<a>x)")).get(2).getExplanation()).contains("b");
        assertThat(verify(runner(PATTERN, "Pattern", "(?<a>x)")).get(2).getOutcome()).isEqualTo(Outcome.FAILED);
        assertThat(verify(runner(DELIMITED, "Header", "a,c")).get(2).getOutcome()).isEqualTo(Outcome.FAILED);
        assertThat(verify(runner(DELIMITED, "Header", "a,b")).get(2).getExplanation()).contains("Each is in Header");
    }

    private static List<ConfigVerificationResult> verify(final TestRunner runner) {
        return ((ComputeRowHash) runner.getProcessor()).verify(runner.getProcessContext(), runner.getLogger(), Map.of());
    }

    // Helpers

    private static TestRunner runner(final String rowSource, final String... properties) {
        final TestRunner runner = TestRunners.newTestRunner(new ComputeRowHash(), "Hash the call");
        runner.setProperty("Columns", "a,b");
        runner.setProperty("Row Source", rowSource);
        for (int i = 0; i < properties.length; i += 2) {
            runner.setProperty(properties[i], properties[i + 1]);
        }
        return runner;
    }

    private static void enqueue(final TestRunner runner, final String content) {
        runner.enqueue(content, Map.of("filename", "a.log"));
    }

    private static Collection<ValidationResult> problems(final TestRunner runner) {
        return ((MockProcessContext) runner.getProcessContext()).validate().stream()
                .filter(result -> !result.isValid()).toList();
    }

    private static MockFlowFile success(final TestRunner runner) {
        runner.assertAllFlowFilesTransferred("success", 1);
        return runner.getFlowFilesForRelationship("success").get(0);
    }

    private static MockFlowFile failure(final TestRunner runner) {
        runner.assertTransferCount("failure", 1);
        return runner.getFlowFilesForRelationship("failure").get(0);
    }

    private static void assertCounts(final MockFlowFile flowFile, final int rows, final int rejected) {
        flowFile.assertAttributeEquals("record.count", Integer.toString(rows));
        flowFile.assertAttributeEquals("rejects.count", Integer.toString(rejected));
        flowFile.assertAttributeEquals("load.count", Integer.toString(rows + rejected));
    }

    private static List<JsonNode> rows(final MockFlowFile rejects) throws IOException {
        final List<JsonNode> rows = new ArrayList<>();
        MAPPER.readerFor(JsonNode.class).<JsonNode>readValues(rejects.getContent()).forEachRemaining(rows::add);
        return rows;
    }
}
