package dev.rowhash.nifi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowhash.nifi.jni.ForkedJvm;
import dev.rowhash.nifi.jni.Md5;
import dev.rowhash.nifi.jni.NativeLibrary;
import dev.rowhash.nifi.jni.RowBatch;
import dev.rowhash.nifi.jni.RowHashException;
import dev.rowhash.nifi.jni.RowHasher;
import dev.rowhash.nifi.jni.Vectors;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.stream.IntStream;
import org.apache.nifi.annotation.behavior.InputRequirement;
import org.apache.nifi.annotation.behavior.InputRequirement.Requirement;
import org.apache.nifi.annotation.behavior.ReadsAttribute;
import org.apache.nifi.annotation.behavior.SideEffectFree;
import org.apache.nifi.annotation.behavior.SupportsBatching;
import org.apache.nifi.annotation.behavior.SystemResource;
import org.apache.nifi.annotation.behavior.SystemResourceConsideration;
import org.apache.nifi.annotation.behavior.WritesAttribute;
import org.apache.nifi.annotation.behavior.WritesAttributes;
import org.apache.nifi.annotation.documentation.CapabilityDescription;
import org.apache.nifi.annotation.documentation.Tags;
import org.apache.nifi.annotation.lifecycle.OnScheduled;
import org.apache.nifi.annotation.lifecycle.OnStopped;
import org.apache.nifi.components.PropertyDescriptor;
import org.apache.nifi.components.ValidationResult;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.Processor;
import org.apache.nifi.provenance.ProvenanceEventRecord;
import org.apache.nifi.provenance.ProvenanceEventType;
import org.apache.nifi.util.LogMessage;
import org.apache.nifi.util.MockFlowFile;
import org.apache.nifi.util.MockProcessContext;
import org.apache.nifi.util.TestRunner;
import org.apache.nifi.util.TestRunners;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class ComputeRowHashTest {

    private static final String CONTENT = "the original line\n";

    private int openBefore;

    @BeforeEach
    void countOpenHashers() {
        openBefore = RowHasher.openCount();
    }

    @AfterEach
    void everyHasherIsClosed() {
        assertThat(RowHasher.openCount()).as("hashers that are open").isEqualTo(openBefore);
    }

    @Test
    void isListedAsAProcessor() {
        assertThat(ServiceLoader.load(Processor.class)).hasAtLeastOneElementOfType(ComputeRowHash.class);
    }

    @Test
    void savedFlowsFindTheirPropertiesAndRelationships() {
        final ComputeRowHash processor = new ComputeRowHash();
        assertThat(processor.getPropertyDescriptors()).extracting(PropertyDescriptor::getName).containsExactly(
                "Row Source", "Columns", "Hash Column", "Canonical Form", "Ambiguous Rows", "Rows Without Values",
                "Record Reader", "Record Writer", "Delimiter", "Quoting", "Header", "Pattern", "Output Format", "Empty Values",
                "Key Columns", "Maximum Line Length", "Batch Size");
        assertThat(processor.getPropertyDescriptors()).extracting(PropertyDescriptor::getDefaultValue).containsExactly(
                "FlowFile Attributes", null, "row_hash", "Compatible", "Allow", "Route to Failure", null, null, ",", "RFC 4180",
                null, null, "NDJSON", "Keep as Empty String", null, "1 MB", "128");
        assertThat(processor.getPropertyDescriptors())
                .allSatisfy(property -> assertThat(property.getDisplayName()).isEqualTo(property.getName()))
                .allSatisfy(property -> assertThat(property.getDescription()).isNotBlank());
        assertThat(processor.getRelationships()).extracting(relationship -> relationship.getName())
                .containsExactlyInAnyOrder("success", "failure");
    }

    @Test
    void tellsNiFiHowItBehaves() throws NoSuchMethodException {
        final Class<ComputeRowHash> type = ComputeRowHash.class;
        assertThat(type).hasAnnotations(SupportsBatching.class, SideEffectFree.class);
        assertThat(type.getAnnotation(InputRequirement.class).value()).isEqualTo(Requirement.INPUT_REQUIRED);
        assertThat(type.getAnnotation(Tags.class).value()).contains("hash", "row_hash", "kudu");
        assertThat(type.getAnnotation(CapabilityDescription.class).value()).contains("UPSERT");
        assertThat(type.getAnnotation(ReadsAttribute.class).attribute()).contains("Columns");
        assertThat(type.getAnnotation(WritesAttributes.class).value()).extracting(WritesAttribute::attribute)
                .containsExactly("the name in Hash Column", "error_message", "error_processor", "record.count", "rejects.count",
                        "load.count", "mime.type");
        assertThat(type.getAnnotation(SystemResourceConsideration.class).resource()).isEqualTo(SystemResource.MEMORY);
        assertThat(type.getMethod("openHasher", ProcessContext.class).isAnnotationPresent(OnScheduled.class)).isTrue();
        assertThat(type.getMethod("closeHasher").isAnnotationPresent(OnStopped.class)).isTrue();
    }

    @Test
    void theDescriptionOfFailureSaysWhatStays() {
        assertThat(ComputeRowHash.REL_FAILURE.getDescription()).contains("attribute of the hash column's name");
    }

    // Validation

    @Test
    void needsTheColumnsAndNothingElse() {
        final TestRunner runner = TestRunners.newTestRunner(ComputeRowHash.class);
        runner.assertNotValid();
        runner.setProperty("Columns", "a");
        runner.assertValid();
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", ",", "a,,b", "a,b,a", "a,row_hash"})
    void aColumnListThatContradictsItselfIsInvalid(final String columns) {
        assertThat(problems(runner("Columns", columns))).hasSize(1).first().asString()
                .contains("'Columns and Hash Column'");
    }

    @Test
    void theMessageOfAContradictionNamesTheColumn() {
        assertThat(problems(runner("Columns", "a,twice,b,twice")).toString()).contains("twice");
        assertThat(problems(runner("Columns", "a,key", "Hash Column", "key")).toString()).contains("key");
        assertThat(problems(runner("Columns", "a,row_hash", "Hash Column", "key")).toString()).contains("row_hash");
    }

    @Test
    void whiteSpaceAndLineBreaksAroundANameDoNotCount() {
        final TestRunner runner = runner("Columns", "\n b ,\r\n\ta ");
        enqueue(runner, Map.of("a", "x", "b", "y"));
        runner.run();
        assertThat(success(runner).getAttribute("row_hash")).isEqualTo(Md5.of("x|y"));
    }

    @Test
    void theUuidOfAFlowFileIsNoColumn() {
        assertThat(problems(runner("Columns", "a,uuid")).toString()).contains("uuid belongs to NiFi");
        assertThat(problems(runner("Columns", "a", "Hash Column", "uuid")).toString()).contains("uuid belongs to NiFi");
    }

    @ParameterizedTest
    @ValueSource(strings = {"error_message", "error_processor"})
    void whatARefusalWritesIsNoColumn(final String attribute) {
        for (final TestRunner runner : List.of(runner("Columns", "a," + attribute),
                runner("Columns", "a", "Hash Column", attribute))) {
            assertThat(problems(runner)).hasSize(1).first().asString().contains("'Columns and Hash Column'",
                    "the attribute " + attribute + " receives the text of a refusal", "of another name");
        }
    }

    @Test
    void expressionLanguageInANameIsRefusedAndAParameterIsNot() {
        for (final String property : List.of("Columns", "Hash Column")) {
            final TestRunner runner = runner("Columns", "a");
            runner.setProperty(property, "${names}");
            assertThat(problems(runner)).hasSize(1).first().asString()
                    .contains("'" + property + "'", "${", "Expression Language", "parameter", "#{");
        }
        assertThat(problems(runner("Columns", "a$b,$,c{d}"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "x", "1.5", "99999999999"})
    void aBatchSizeThatIsNoPositiveNumberIsInvalid(final String batchSize) {
        assertThat(problems(runner("Columns", "a", "Batch Size", batchSize)).toString()).contains("Batch Size");
    }

    @Test
    void aValueThatIsNotInTheListIsInvalid() {
        for (final String property : List.of("Row Source", "Canonical Form", "Ambiguous Rows", "Rows Without Values")) {
            assertThat(problems(runner("Columns", "a", property, "Other")).toString()).contains(property);
        }
    }

    @Test
    void aLibraryThatDoesNotLoadMakesTheProcessorInvalid() throws Exception {
        final ForkedJvm.Result result = ForkedJvm.run(
                List.of("-D" + NativeLibrary.PATH_PROPERTY + "=/nowhere/librowhash.so"), NoLibraryMain.class);

        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output()).contains("'Native Library'", "/nowhere/librowhash.so", "Cure:")
                .contains("FAILED SKIPPED SKIPPED");
    }

    static final class NoLibraryMain {
        public static void main(final String[] arguments) {
            final TestRunner runner = runner("Columns", "a");
            runner.assertNotValid();
            System.out.println(problems(runner));
            final List<String> outcomes = new ComputeRowHash()
                    .verify(runner.getProcessContext(), runner.getLogger(), Map.of("a", "x")).stream()
                    .map(step -> step.getOutcome().name()).toList();
            System.out.println(String.join(" ", outcomes));
        }
    }

    // Hashing

    @Test
    void aNameThatTheLibraryHashesAndThatLooksLikeExpressionLanguageIsRefused() {
        final List<Vectors.Case> marked = Vectors.all().filter(golden -> golden.columnList().contains("${")).toList();
        assertThat(marked).extracting(Vectors.Case::name).containsExactly("names_with_marks");
        assertThat(problems(runner("Columns", marked.get(0).columnList()))).hasSize(1);
    }

    @Test
    void addsTheHashAndLeavesAllElseAsItCame() {
        final TestRunner runner = runner("Columns", "b,a", "Hash Column", "key");
        final MockFlowFile before = enqueue(runner, Map.of("a", "x", "b", "", "other", "z"));
        runner.run();

        final MockFlowFile after = success(runner);
        assertThat(after.getContent()).isEqualTo(CONTENT);
        final Map<String, String> expected = new HashMap<>(before.getAttributes());
        expected.put("key", Md5.of("x|\\N"));
        assertThat(after.getAttributes()).isEqualTo(expected);
    }

    @Test
    void overwritesAHashThatIsAlreadyThere() {
        final TestRunner runner = runner("Columns", "a");
        enqueue(runner, Map.of("a", "x", "row_hash", "stale"));
        runner.run();
        assertThat(success(runner).getAttribute("row_hash")).isEqualTo(Md5.of("x"));
    }

    @Test
    void twoFlowFilesWithTheSameRowHaveTheSameHash() {
        final TestRunner runner = runner("Columns", "a");
        enqueue(runner, Map.of("a", "x", "filename", "one.log", "fragment.index", "1"));
        enqueue(runner, Map.of("a", "x", "filename", "two.log", "fragment.index", "2"));
        runner.run();
        assertThat(runner.getFlowFilesForRelationship("success")).hasSize(2)
                .allSatisfy(flowFile -> flowFile.assertAttributeEquals("row_hash", Md5.of("x")));
    }

    @Test
    void nullAbsentAndEmptyAreOneValueAndABlankIsAnother() {
        final TestRunner runner = runner("Columns", "a,b");
        enqueue(runner, Map.of("a", "x"));
        enqueue(runner, Map.of("a", "x", "b", ""));
        enqueue(runner, Map.of("a", "x", "b", " "));
        runner.run();
        assertThat(runner.getFlowFilesForRelationship("success")).extracting(flowFile -> flowFile.getAttribute("row_hash"))
                .containsExactly(Md5.of("x|\\N"), Md5.of("x|\\N"), Md5.of("x| "));
    }

    @Test
    void takesOneBatchATriggerAndKeepsTheOrder() {
        final TestRunner runner = runner("Columns", "a", "Batch Size", "10");
        IntStream.range(0, 25).forEach(i -> enqueue(runner, Map.of("a", "row " + i)));

        runner.run(1, false);
        assertThat(runner.getQueueSize().getObjectCount()).isEqualTo(15);
        runner.run(2, true, false);

        assertThat(runner.getFlowFilesForRelationship("success")).extracting(flowFile -> flowFile.getAttribute("row_hash"))
                .isEqualTo(IntStream.range(0, 25).mapToObj(i -> Md5.of("row " + i)).toList());
        assertThat(runner.getCounterValue("Rows Hashed")).isEqualTo(25);
    }

    @Test
    void anEmptyQueueIsNoWork() {
        final TestRunner runner = runner("Columns", "a");
        runner.run();
        runner.assertTransferCount("success", 0);
        runner.assertTransferCount("failure", 0);
        assertThat(runner.getCounterValue("Rows Hashed")).isNull();
    }

    @Test
    void manyThreadsShareOneProcessor() {
        final TestRunner runner = runner("Columns", "a,b", "Batch Size", "7");
        runner.setThreadCount(8);
        IntStream.range(0, 2000).forEach(i -> enqueue(runner, Map.of("a", "row " + i, "expected", Md5.of("row " + i + "|\\N"))));
        runner.run(300);

        assertThat(runner.getFlowFilesForRelationship("success")).hasSize(2000)
                .allSatisfy(flowFile -> flowFile.assertAttributeEquals("row_hash", flowFile.getAttribute("expected")));
        assertThat(runner.getCounterValue("Rows Hashed")).isEqualTo(2000);
    }

    @Test
    void canBeStoppedAndStartedAgain() {
        final TestRunner runner = runner("Columns", "a");
        for (int i = 0; i < 3; i++) {
            enqueue(runner, Map.of("a", "x"));
            runner.run();
        }
        runner.assertAllFlowFilesTransferred("success", 3);
    }

    @Test
    void aStartAfterAStartThatFailedLeavesNoHasherBehind() {
        final ComputeRowHash processor = new ComputeRowHash();
        final TestRunner runner = TestRunners.newTestRunner(processor);
        runner.setProperty("Columns", "a");
        processor.openHasher(runner.getProcessContext());
        processor.openHasher(runner.getProcessContext());
        assertThat(RowHasher.openCount()).isEqualTo(openBefore + 1);
        processor.closeHasher();
        processor.closeHasher();
    }

    @Test
    void aSessionThatRollsBackCountsNothing() {
        final TestRunner runner = runner("Columns", "a,b");
        enqueue(runner, Map.of("a", "x|y"));
        enqueue(runner, Map.of());
        final ComputeRowHash processor = (ComputeRowHash) runner.getProcessor();
        processor.openHasher(runner.getProcessContext());
        final ProcessSession session = runner.getProcessSessionFactory().createSession();
        processor.onTrigger(runner.getProcessContext(), session);
        session.rollback();
        processor.closeHasher();

        for (final String counter : List.of("Rows Hashed", "Ambiguous Rows", "Rows Refused")) {
            assertThat(runner.getCounterValue(counter)).as(counter).isNull();
        }
        assertThat(runner.getQueueSize().getObjectCount()).isEqualTo(2);
        runner.run();
        for (final String counter : List.of("Rows Hashed", "Ambiguous Rows", "Rows Refused")) {
            assertThat(runner.getCounterValue(counter)).as(counter).isEqualTo(1);
        }
    }

    @Test
    void hugeRowsAreHashedInSeveralCallsOfLimitedSize() {
        final TestRunner runner = runner("Columns", "a,b");
        for (int i = 0; i < 5; i++) {
            enqueue(runner, Map.of("a", i + "x".repeat(AttributeRows.MAX_CHARACTERS_A_CALL / 2), "b", "y"));
        }
        runner.run();

        final List<MockFlowFile> rows = runner.getFlowFilesForRelationship("success");
        assertThat(rows).hasSize(5)
                .allSatisfy(row -> row.assertAttributeEquals("row_hash", Md5.of(row.getAttribute("a") + "|y")));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 1000})
    void theLimitOfACallChangesNoHash(final int maxCharacters) {
        final List<FlowFile> rows = IntStream.range(0, 50).mapToObj(i -> {
            final MockFlowFile row = new MockFlowFile(i);
            row.putAttributes(Map.of("a", "x".repeat(i % 5), "b", "row " + i));
            return (FlowFile) row;
        }).toList();
        try (RowHasher hasher = RowHasher.open("a,b", "row_hash", "Compatible")) {
            final List<RowBatch> calls = new ArrayList<>();
            final List<AttributeRows.Result> results = new AttributeRows(counted(hasher, calls), maxCharacters).hash(rows);
            final int longestRow = "xxxx".length() + "row 49".length();
            assertThat(calls).allSatisfy(call ->
                    assertThat(call.characters()).isLessThan(maxCharacters + longestRow));
            assertThat(calls.stream().mapToInt(RowBatch::size).sum()).isEqualTo(rows.size());
            assertThat(calls.stream().limit(calls.size() - 1)).allSatisfy(call ->
                    assertThat(call.characters()).isGreaterThanOrEqualTo(maxCharacters));
            assertThat(results).extracting(AttributeRows.Result::flowFile).isEqualTo(rows);
            assertThat(results).allSatisfy(result -> {
                final String a = result.flowFile().getAttribute("a");
                assertThat(result.row().hash())
                        .isEqualTo(Md5.of((a.isEmpty() ? "\\N" : a) + "|" + result.flowFile().getAttribute("b")));
            });
        }
    }

    @Test
    void aCallTakesALimitedNumberOfCharactersAndOneRowMore() {
        final List<FlowFile> rows = IntStream.range(0, 5).mapToObj(i -> {
            final MockFlowFile row = new MockFlowFile(i);
            row.putAttributes(Map.of("a", "x".repeat(AttributeRows.MAX_CHARACTERS_A_CALL / 2)));
            return (FlowFile) row;
        }).toList();
        try (RowHasher hasher = RowHasher.open("a", "row_hash", "Compatible")) {
            final List<RowBatch> calls = new ArrayList<>();
            assertThat(new AttributeRows(counted(hasher, calls)).hash(rows)).hasSize(5);
            assertThat(calls).extracting(RowBatch::size).containsExactly(2, 2, 1);
        }
    }

    private static Supplier<RowBatch> counted(final RowHasher hasher, final List<RowBatch> calls) {
        return () -> {
            calls.add(hasher.batch());
            return calls.get(calls.size() - 1);
        };
    }

    // Refusals

    @Test
    void aRowWithoutValuesGoesToFailureWithTheReason() {
        final TestRunner runner = runner("Columns", "a,b");
        final MockFlowFile before = enqueue(runner, Map.of("A", "x", "b", "", "row_hash", "stale"));
        enqueue(runner, Map.of("a", "x"));
        runner.run();

        final MockFlowFile refused = failure(runner);
        assertThat(refused.getAttribute("error_message"))
                .contains("None of the columns a, b has a value").contains("Rows Without Values");
        refused.assertAttributeEquals("error_processor", "Hash the call");
        assertIntact(before, refused);
        assertThat(success(runner).getAttribute("row_hash")).isEqualTo(Md5.of("x|\\N"));
        assertThat(runner.getCounterValue("Rows Refused")).isEqualTo(1);
        assertThat(runner.getCounterValue("Rows Hashed")).isEqualTo(1);
    }

    @Test
    void aRowWithoutValuesCanBeAllowed() {
        final TestRunner runner = runner("Columns", "a,b", "Rows Without Values", "Allow");
        enqueue(runner, Map.of());
        runner.run();
        assertThat(success(runner).getAttribute("row_hash")).isEqualTo(Md5.of("\\N|\\N"));
        assertThat(runner.getCounterValue("Rows Refused")).isNull();
    }

    @Test
    void anAmbiguousRowPassesAndIsCounted() {
        final TestRunner runner = runner("Columns", "a,b");
        enqueue(runner, Map.of("a", "x|y", "b", "z"));
        enqueue(runner, Map.of("a", "x", "b", "y|z"));
        enqueue(runner, Map.of("a", "\\N"));
        enqueue(runner, Map.of("a", "x"));
        runner.run();

        runner.assertAllFlowFilesTransferred("success", 4);
        assertThat(runner.getFlowFilesForRelationship("success")).extracting(row -> row.getAttribute("row_hash"))
                .startsWith(Md5.of("x|y|z"), Md5.of("x|y|z"));
        assertThat(runner.getCounterValue("Ambiguous Rows")).isEqualTo(3);
        assertThat(runner.getCounterValue("Rows Hashed")).isEqualTo(4);
        assertThat(runner.getLogger().getWarnMessages()).isEmpty();
    }

    @Test
    void anAmbiguousRowCanBeRefused() {
        final TestRunner runner = runner("Columns", "a,b", "Ambiguous Rows", "Route to Failure");
        final MockFlowFile before = enqueue(runner, Map.of("a", "x", "b", "y|z"));
        enqueue(runner, Map.of("a", "x", "b", "y"));
        runner.run();

        final MockFlowFile refused = failure(runner);
        assertThat(refused.getAttribute("error_message")).contains("Column 'b'").contains("Ambiguous Rows");
        refused.assertAttributeEquals("error_processor", "Hash the call");
        refused.assertAttributeNotExists("row_hash");
        assertIntact(before, refused);
        runner.assertTransferCount("success", 1);
        assertThat(runner.getCounterValue("Ambiguous Rows")).isEqualTo(1);
        assertThat(runner.getCounterValue("Rows Refused")).isEqualTo(1);
    }

    @Test
    void noRowIsAmbiguousInTheEscapedForm() {
        final TestRunner runner = runner("Columns", "a,b", "Ambiguous Rows", "Route to Failure", "Canonical Form", "Escaped");
        enqueue(runner, Map.of("a", "x|y", "b", "\\N"));
        runner.run();
        assertThat(success(runner).getAttribute("row_hash")).isEqualTo(Md5.of("x\\|y|\\\\N"));
        assertThat(runner.getCounterValue("Ambiguous Rows")).isNull();
    }

    @Test
    void manyRefusedRowsAreOneLogLineAReason() {
        final TestRunner runner = runner("Columns", "a,b", "Ambiguous Rows", "Route to Failure");
        for (int i = 0; i < 40; i++) {
            enqueue(runner, Map.of("a", "x|" + i));
            enqueue(runner, Map.of());
            enqueue(runner, Map.of("a", "x" + i));
        }
        runner.run();

        runner.assertTransferCount("failure", 80);
        assertThat(runner.getLogger().getErrorMessages()).isEmpty();
        final List<String> warnings = runner.getLogger().getWarnMessages().stream().map(ComputeRowHashTest::text).toList();
        assertThat(warnings).hasSize(2);
        assertThat(warnings).anySatisfy(line -> assertThat(line).contains("40 of 120 FlowFiles", "None of the columns", "id="));
        assertThat(warnings).anySatisfy(line -> assertThat(line).contains("40 of 120 FlowFiles", "Column 'a'", "id="));
    }

    @Test
    void aRefusedRowThatIsSentBackLosesItsErrorOnceItPasses() {
        final TestRunner refusing = runner("Columns", "a,b", "Ambiguous Rows", "Route to Failure");
        enqueue(refusing, Map.of("a", "x|y"));
        refusing.run();
        final Map<String, String> refused = failure(refusing).getAttributes();

        final TestRunner allowing = runner("Columns", "a,b");
        enqueue(allowing, refused);
        enqueue(allowing, Map.of("a", "x", "error_message", "late", "error_processor", "Another"));
        allowing.run();

        final List<MockFlowFile> passed = allowing.getFlowFilesForRelationship("success");
        passed.get(0).assertAttributeNotExists("error_message");
        passed.get(0).assertAttributeNotExists("error_processor");
        passed.get(1).assertAttributeEquals("error_message", "late");
        passed.get(1).assertAttributeEquals("error_processor", "Another");
    }

    @Test
    void aPanicInTheLibraryCostsOnlyTheRowThatCausesIt() throws Exception {
        final ForkedJvm.Result result = ForkedJvm.run(List.of(ForkedJvm.testHooks()), PanicMain.class);
        assertThat(result.exitCode()).as(result.output()).isZero();
    }

    /** Runs in a JVM with the library that panics on demand. */
    static final class PanicMain {
        public static void main(final String[] arguments) {
            final TestRunner runner = runner("Columns", "a");
            enqueue(runner, Map.of("a", "one"));
            final MockFlowFile before = enqueue(runner, Map.of("a", "rowhash-test-hook:panic"));
            enqueue(runner, Map.of("a", "two"));
            runner.run();

            final MockFlowFile refused = failure(runner);
            assertThat(refused.getAttribute("error_message"))
                    .contains("could not be hashed", "a test asked for this panic");
            refused.assertAttributeEquals("error_processor", "Hash the call");
            assertIntact(before, refused);
            assertThat(runner.getFlowFilesForRelationship("success")).extracting(row -> row.getAttribute("row_hash"))
                    .containsExactly(Md5.of("one"), Md5.of("two"));
            assertThat(runner.getLogger().getErrorMessages()).hasSize(1).first()
                    .satisfies(line -> assertThat(text(line)).contains("1 of 3 FlowFiles"))
                    .satisfies(line -> assertThat(cause(line)).isInstanceOf(RowHashException.class));
            assertThat(runner.getCounterValue("Rows Refused")).isEqualTo(1);
        }
    }

    // Provenance

    @Test
    void provenanceNamesTheColumns() {
        final TestRunner runner = runner("Columns", "b,a", "Canonical Form", "Escaped");
        enqueue(runner, Map.of("a", "x"));
        runner.run();

        final List<ProvenanceEventRecord> events = runner.getProvenanceEvents().stream()
                .filter(event -> event.getEventType() == ProvenanceEventType.ATTRIBUTES_MODIFIED).toList();
        assertThat(events).hasSize(1);
        assertThat(events.get(0).getDetails()).isEqualTo("row_hash of the columns a, b in the form Escaped");
    }

    // Helpers

    private static TestRunner runner(final String... properties) {
        final TestRunner runner = TestRunners.newTestRunner(new ComputeRowHash(), "Hash the call");
        for (int i = 0; i < properties.length; i += 2) {
            runner.setProperty(properties[i], properties[i + 1]);
        }
        return runner;
    }

    private static MockFlowFile enqueue(final TestRunner runner, final Map<String, String> attributes) {
        return runner.enqueue(CONTENT.getBytes(StandardCharsets.UTF_8), attributes);
    }

    private static MockFlowFile success(final TestRunner runner) {
        runner.assertTransferCount("success", 1);
        return runner.getFlowFilesForRelationship("success").get(0);
    }

    private static MockFlowFile failure(final TestRunner runner) {
        runner.assertTransferCount("failure", 1);
        return runner.getFlowFilesForRelationship("failure").get(0);
    }

    /** Only the two error attributes are new. */
    private static void assertIntact(final MockFlowFile before, final MockFlowFile after) {
        assertThat(after.getContent()).isEqualTo(CONTENT);
        final Map<String, String> rest = new HashMap<>(after.getAttributes());
        rest.keySet().removeAll(List.of("error_message", "error_processor"));
        assertThat(rest).isEqualTo(before.getAttributes());
    }

    private static Collection<ValidationResult> problems(final TestRunner runner) {
        return ((MockProcessContext) runner.getProcessContext()).validate().stream()
                .filter(result -> !result.isValid()).toList();
    }

    /** A throwable after the arguments is one by itself in some versions of the mock, the last argument in others. */
    private static Object cause(final LogMessage line) {
        return line.getThrowable() != null ? line.getThrowable() : line.getArgs()[line.getArgs().length - 1];
    }

    private static String text(final LogMessage line) {
        String text = line.getMsg();
        for (final Object argument : line.getArgs()) {
            text = text.replaceFirst("\\{}", Matcher.quoteReplacement(String.valueOf(argument)));
        }
        return text;
    }
}
