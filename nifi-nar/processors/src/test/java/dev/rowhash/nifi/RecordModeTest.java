package dev.rowhash.nifi;

import static dev.rowhash.nifi.RecordServices.record;
import static dev.rowhash.nifi.RecordServices.schema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rowhash.nifi.RecordServices.KeepingWriter;
import dev.rowhash.nifi.RecordServices.ListReader;
import dev.rowhash.nifi.jni.ForkedJvm;
import dev.rowhash.nifi.jni.LoadEvents;
import dev.rowhash.nifi.jni.Md5;
import dev.rowhash.nifi.jni.RowHasher;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.stream.XMLStreamException;
import org.apache.nifi.processor.exception.ProcessException;
import org.apache.nifi.provenance.ProvenanceEventRecord;
import org.apache.nifi.provenance.ProvenanceEventType;
import org.apache.nifi.serialization.MalformedRecordException;
import org.apache.nifi.serialization.SimpleRecordSchema;
import org.apache.nifi.serialization.record.Record;
import org.apache.nifi.serialization.record.RecordField;
import org.apache.nifi.serialization.record.RecordFieldType;
import org.apache.nifi.serialization.record.RecordSchema;
import org.apache.nifi.util.MockFlowFile;
import org.apache.nifi.util.TestRunner;
import org.apache.nifi.util.TestRunners;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** ComputeRowHash with Row Source at Records. */
@Timeout(300)
class RecordModeTest {

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final RecordSchema AB = schema("a", RecordFieldType.STRING, "b", RecordFieldType.INT);

    private final KeepingWriter writer = new KeepingWriter();
    private int openBefore;

    @BeforeEach
    void countOpenHashers() {
        openBefore = RowHasher.openCount();
    }

    @AfterEach
    void everythingIsClosed() {
        assertThat(RowHasher.openCount()).as("hashers that are open").isEqualTo(openBefore);
        assertThat(writer.closed).as("writers that are closed").isGreaterThanOrEqualTo(writer.opened);
    }

    @Test
    void needsAReaderAndAWriter() {
        final TestRunner runner = TestRunners.newTestRunner(new ComputeRowHash());
        runner.setProperty("Columns", "a");
        runner.setProperty("Row Source", "Records");
        runner.assertNotValid();
        RecordServices.use(runner, new ListReader(AB, List.of()), writer);
        runner.assertValid();
    }

    @Test
    void namesThatAreAttributesInTheOtherModeAreFieldsLikeAny() {
        final RecordSchema schema = schema("uuid", RecordFieldType.STRING, "error_message", RecordFieldType.STRING);
        final TestRunner runner = runner("uuid,error_message", schema, record(schema, Map.of("uuid", "u", "error_message", "e")));
        runner.run();
        assertThat(success(runner)).isNotNull();
        assertThat(hashes()).containsExactly(Md5.of("e|u"));
    }

    @Test
    void theHashIsAddedToTheSchemaAndAllElseKeepsTypeAndValue() {
        final RecordSchema nested = schema("x", RecordFieldType.INT);
        final SimpleRecordSchema schema = new SimpleRecordSchema(List.of(
                new RecordField("b", RecordFieldType.DECIMAL.getDecimalDataType(10, 2)),
                new RecordField("a", RecordFieldType.STRING.getDataType(), "default"),
                new RecordField("n", RecordFieldType.RECORD.getRecordDataType(nested))));
        schema.setSchemaName("calls");
        final Record inner = record(nested, Map.of("x", 1));
        final TestRunner runner = runner("a,b", schema,
                record(schema, new HashMap<>(Map.of("b", new BigDecimal("1.50"), "a", "x", "n", inner))),
                record(schema, new HashMap<>(Map.of("b", new BigDecimal("7")))));
        runner.run();

        success(runner);
        assertThat(writer.schema.getFieldNames()).containsExactly("b", "a", "n", "row_hash");
        assertThat(writer.schema.getFields().subList(0, 3)).isEqualTo(schema.getFields());
        assertThat(writer.schema.getField("row_hash").orElseThrow())
                .isEqualTo(new RecordField("row_hash", RecordFieldType.STRING.getDataType()));
        assertThat(writer.schema.getSchemaName()).contains("calls");
        assertThat(writer.records.get(0).toMap()).containsExactlyInAnyOrderEntriesOf(Map.of("b", new BigDecimal("1.50"),
                "a", "x", "n", inner, "row_hash", Md5.of("x|1.5")));
        assertThat(writer.records.get(1).getValue("a")).isEqualTo("default");
        assertThat(hashes()).containsExactly(Md5.of("x|1.5"), Md5.of("default|7"));
    }

    @Test
    void aFieldThatIsThereIsReplacedInItsPlaceAndBecomesAString() {
        final RecordSchema schema = schema("row_hash", RecordFieldType.INT, "a", RecordFieldType.STRING);
        final TestRunner runner = runner("a", schema, record(schema, Map.of("row_hash", 5, "a", "x")));
        runner.run();

        assertThat(writer.schema.getFieldNames()).containsExactly("row_hash", "a");
        assertThat(writer.schema.getDataType("row_hash")).contains(RecordFieldType.STRING.getDataType());
        assertThat(hashes()).containsExactly(Md5.of("x"));
    }

    @Test
    void aValueUnderAnAliasOfItsFieldCounts() {
        final RecordSchema schema = new SimpleRecordSchema(List.of(
                new RecordField("new", RecordFieldType.STRING.getDataType(), Set.of("old"))));
        final TestRunner runner = runner("new", schema, record(schema, Map.of("old", "x")));
        runner.run();
        success(runner);
        assertThat(hashes()).containsExactly(Md5.of("x"));
    }

    @Test
    void saysWhatItDid() {
        final TestRunner runner = runner("a,b", AB, ab("x|y", 1), ab("x", 2));
        runner.run();

        final MockFlowFile hashed = success(runner);
        hashed.assertAttributeEquals("record.count", "2");
        hashed.assertAttributeEquals("rejects.count", "0");
        hashed.assertAttributeEquals("load.count", "2");
        hashed.assertAttributeEquals("mime.type", "application/json");
        hashed.assertAttributeEquals("schema.name", "kept");
        hashed.assertAttributeEquals("filename", "a.log");
        runner.assertTransferCount("failure", 0);
        assertThat(runner.getCounterValue("Rows Hashed")).isEqualTo(2);
        assertThat(runner.getCounterValue("Ambiguous Rows")).isEqualTo(1);
        assertThat(runner.getCounterValue("Rows Refused")).isNull();
        assertThat(details(runner)).containsExactly("2 rows with row_hash of the columns a, b in the form Compatible");
        assertThat(runner.getLogger().getWarnMessages()).isEmpty();
    }

    @Test
    void manyRecordsKeepTheirOrderOverManyCalls() {
        final TestRunner runner = runner("a,b", AB,
                IntStream.range(0, 1000).mapToObj(i -> ab("row " + i, i)).toArray());
        runner.run();
        success(runner).assertAttributeEquals("record.count", "1000");
        assertThat(hashes()).isEqualTo(IntStream.range(0, 1000).mapToObj(i -> Md5.of("row " + i + "|" + i)).toList());
    }

    @Test
    void noRecordAtAllIsASuccessWithoutRows() {
        final TestRunner runner = runner("a,b", AB);
        runner.run();
        success(runner).assertAttributeEquals("record.count", "0");
        success(runner).assertAttributeEquals("load.count", "0");
        assertThat(writer.schema.getFieldNames()).containsExactly("a", "b", "row_hash");
    }

    @Test
    void whatWasRefusedAndIsSentBackIsNoFailureAnyMore() {
        final TestRunner runner = runner("a,b", AB, ab("x", 1));
        runner.clearTransferState();
        runner.enqueue("again", Map.of("error_message", "old", "error_processor", "Hash the call"));
        runner.run(2);
        assertThat(runner.getFlowFilesForRelationship("success")).hasSize(2)
                .allSatisfy(flowFile -> flowFile.assertAttributeNotExists("error_processor"));
    }

    // Bad rows

    @Test
    void badRecordsLeaveAsRejectsAndTheGoodOnesPass() throws IOException {
        final RecordSchema schema = schema("a", RecordFieldType.STRING, "b", RecordFieldType.DOUBLE, "c", RecordFieldType.STRING);
        final TestRunner runner = runner("a,b,c", schema,
                record(schema, values("a", "one", "b", 1.0)),
                record(schema, values("a", "two", "b", Double.NaN)),
                record(schema, values("c", "")),
                record(schema, values("a", "four", "c", new Object[] {1, "\"x\"", null})),
                new MalformedRecordException("Cannot convert", new IllegalArgumentException("no number: abc")),
                record(schema, values("a", "six", "b", 0.1f)));
        runner.run();

        final MockFlowFile hashed = runner.getFlowFilesForRelationship("success").get(0);
        assertThat(hashes()).containsExactly(Md5.of("one|1|\\N"), Md5.of("six|0.1|\\N"));
        hashed.assertAttributeEquals("record.count", "2");
        hashed.assertAttributeEquals("rejects.count", "4");
        hashed.assertAttributeEquals("load.count", "6");
        hashed.assertAttributeNotExists("error_message");

        final MockFlowFile rejects = failure(runner);
        rejects.assertAttributeEquals("rejects.count", "4");
        rejects.assertAttributeEquals("record.count", "4");
        rejects.assertAttributeEquals("load.count", "6");
        rejects.assertAttributeEquals("mime.type", "application/x-ndjson");
        rejects.assertAttributeEquals("filename", "a.log");
        rejects.assertAttributeEquals("error_processor", "Hash the call");
        assertThat(rejects.getAttribute("error_message"))
                .isEqualTo("4 of 6 rows are refused; the first, row 2: column 'b': NaN is not a finite number");

        final List<JsonNode> rows = rows(rejects);
        assertThat(rows).extracting(row -> row.get("row_index").intValue()).containsExactly(2, 3, 4, 5);
        assertThat(rows).extracting(row -> row.get("line_number")).containsOnlyNulls();
        assertThat(rejects.getContent().lines()).allMatch(LoadEvents::isReject);
        assertThat(rows.get(1).get("error_message").textValue()).contains("None of the columns a, b, c");
        assertThat(rows.get(2).get("error_message").textValue()).isEqualTo("column 'c': arrays, maps and records cannot be hashed");
        assertThat(rows.get(3).get("error_message").textValue()).contains("Cannot convert", "no number: abc");
        assertThat(rows.get(0).get("line_content").textValue()).isEqualTo("{\"a\":\"two\",\"b\":NaN,\"c\":null}");
        assertThat(MAPPER.readTree(rows.get(2).get("line_content").textValue()))
                .isEqualTo(MAPPER.readTree("{\"a\":\"four\",\"b\":null,\"c\":[1,\"\\\"x\\\"\",null]}"));
        assertThat(rows.get(3).get("line_content").textValue()).isNull();
        assertThat(runner.getCounterValue("Rows Hashed")).isEqualTo(2);
        assertThat(runner.getCounterValue("Rows Refused")).isEqualTo(4);
        assertThat(runner.getLogger().getWarnMessages()).hasSize(1);
    }

    @Test
    void anAmbiguousRowCanBeRefused() {
        final TestRunner runner = runner("a,b", AB, ab("x|y", 1), ab("x", 2));
        runner.setProperty("Ambiguous Rows", "Route to Failure");
        runner.run();
        assertThat(failure(runner).getContent()).contains("Column 'a'", "Ambiguous Rows");
        assertThat(hashes()).containsExactly(Md5.of("x|2"));
    }

    @Test
    void rowsWithoutValuesCanBeAllowed() {
        final TestRunner runner = runner("a,b", AB, record(AB, Map.of()));
        runner.setProperty("Rows Without Values", "Allow");
        runner.run();
        assertThat(hashes()).containsExactly(Md5.of("\\N|\\N"));
    }

    @Test
    void whereEveryRowIsBadOnlyTheRejectsAreLeft() {
        final TestRunner runner = runner("a,b", AB, record(AB, Map.of()), record(AB, Map.of()));
        runner.run();
        runner.assertTransferCount("success", 0);
        failure(runner).assertAttributeEquals("rejects.count", "2");
        failure(runner).assertAttributeEquals("load.count", "2");
        assertThat(writer.opened).isZero();
    }

    // A content that nothing is passed on of

    @Test
    void aColumnThatNoRecordHasRefusesTheContentAndIsNamed() {
        final TestRunner runner = runner("a,B,b", AB, ab("x", 1), ab("y", 2));
        runner.run();
        assertThat(refused(runner)).contains("No record has a field named B,", "has the fields a, b;", "Columns");
    }

    @Test
    void wrongNamesAloneAreNamedToo() {
        final TestRunner runner = runner("A", AB, ab("x", 1));
        runner.run();
        assertThat(refused(runner)).contains("No record has a field named A,");
    }

    @Test
    void aColumnThatOneRecordsOwnSchemaHasIsNoMistake() {
        final RecordSchema more = schema("a", RecordFieldType.STRING, "c", RecordFieldType.STRING);
        final TestRunner runner = runner("a,c", AB, ab("x", 1), record(more, Map.of("a", "y", "c", "z")));
        runner.run();
        success(runner);
        assertThat(hashes()).containsExactly(Md5.of("x|\\N"), Md5.of("y|z"));
    }

    static Stream<Exception> whatAReaderCannotGoOnFrom() {
        return Stream.of(new MalformedRecordException("Could not parse", new IOException("unexpected end at line 7")),
                new MalformedRecordException("Could not parse", new IllegalArgumentException(
                        new XMLStreamException("unexpected end at line 7"))),
                new MalformedRecordException("Could not parse", new UncheckedIOException(
                        new IOException("unexpected end at line 7"))),
                new IOException("unexpected end at line 7"), new IllegalStateException("unexpected end at line 7"));
    }

    @ParameterizedTest
    @MethodSource("whatAReaderCannotGoOnFrom")
    void aContentThatCannotBeReadToItsEndGoesToFailureAsItCame(final Exception exception) {
        final TestRunner runner = runner("a,b", AB, ab("x", 1), record(AB, Map.of()), exception, ab("y", 2));
        runner.run();
        assertThat(refused(runner)).contains("cannot be read after record 2", "unexpected end at line 7", "Record Reader");
        assertThat(runner.getLogger().getErrorMessages()).hasSize(1);
    }

    @Test
    void aReaderThatStandsStillIsLeft() {
        final TestRunner runner = TestRunners.newTestRunner(new ComputeRowHash(), "Hash the call");
        final MalformedRecordException always = new MalformedRecordException("always the same");
        RecordServices.use(runner, new ListReader(AB, () -> Stream.generate(() -> (Object) always).iterator()), writer);
        runner.setProperty("Row Source", "Records");
        runner.setProperty("Columns", "a");
        runner.enqueue("content", Map.of("filename", "a.log"));
        runner.run();
        assertThat(refused(runner)).contains("cannot be read", "always the same");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWriterThatFailsLeavesTheContentAsItCame(final boolean atRunTime) {
        writer.failAt = 1;
        writer.failure = atRunTime ? new IllegalArgumentException("a writer that fails") : null;
        final TestRunner runner = runner("a,b", AB, ab("x", 1), record(AB, Map.of()), ab("y", 2));
        runner.run();
        assertThat(refused(runner)).contains("Record Writer cannot write", "a writer that fails");
    }

    @Test
    void aWriterWhoseSchemaHasNoPlaceForTheHashIsRefused() {
        writer.own = AB;
        final TestRunner runner = runner("a,b", AB, ab("x", 1));
        runner.run();
        assertThat(refused(runner)).contains("no field named row_hash", "string");
    }

    @Test
    void aRepositoryThatFailsIsNoFailureOfTheContent() {
        final TestRunner runner = runner("a,b", AB, ab("x", 1));
        try (RowHasher hasher = RowHasher.open("a,b", "row_hash", "Compatible")) {
            final ContentRows.Source rows = new RecordRows(hasher, new RowPolicy(runner.getProcessContext(), hasher.columns()),
                    "row_hash", (ListReader) runner.getControllerService("reader"), writer, runner.getLogger());
            final InputStream good = new ByteArrayInputStream(new byte[3]);
            final InputStream bad = new InputStream() {
                @Override
                public int read() throws IOException {
                    throw new IOException("the disk is gone");
                }
            };
            final OutputStream full = new OutputStream() {
                @Override
                public void write(final int b) throws IOException {
                    throw new IOException("the disk is full");
                }
            };
            assertThatThrownBy(() -> rows.transfer(new MockFlowFile(1), bad, new ByteArrayOutputStream(), full))
                    .isInstanceOf(ProcessException.class).hasRootCauseMessage("the disk is gone");
            assertThatThrownBy(() -> rows.transfer(new MockFlowFile(1), good, full, full))
                    .isInstanceOf(ProcessException.class).hasRootCauseMessage("the disk is full");
        }
    }

    @Test
    void aPanicInTheLibraryCostsOnlyTheRowThatCausesIt() throws Exception {
        final ForkedJvm.Result result = ForkedJvm.run(List.of(ForkedJvm.testHooks()), PanicMain.class);
        assertThat(result.exitCode()).as(result.output()).isZero();
    }

    /** Runs in a JVM with the library that panics on demand. */
    static final class PanicMain {
        public static void main(final String[] arguments) {
            final RecordModeTest test = new RecordModeTest();
            final TestRunner runner = test.runner("a,b", AB, ab("x", 1), ab("rowhash-test-hook:panic", 2), ab("y", 3));
            runner.run();
            assertThat(test.hashes()).containsExactly(Md5.of("x|1"), Md5.of("y|3"));
            assertThat(failure(runner).getContent()).contains("\"row_index\":2", "could not be hashed", "this panic");
        }
    }

    // Helpers

    private TestRunner runner(final String columns, final RecordSchema schema, final Object... steps) {
        final TestRunner runner = TestRunners.newTestRunner(new ComputeRowHash(), "Hash the call");
        RecordServices.use(runner, new ListReader(schema, List.of(steps)), writer);
        runner.setProperty("Row Source", "Records");
        runner.setProperty("Columns", columns);
        runner.enqueue("content", Map.of("filename", "a.log"));
        return runner;
    }

    private static Record ab(final String a, final int b) {
        return record(AB, Map.of("a", a, "b", b));
    }

    private static Map<String, Object> values(final Object... namesAndValues) {
        final Map<String, Object> values = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            values.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return values;
    }

    private List<String> hashes() {
        return writer.records.stream().map(record -> record.getAsString("row_hash")).toList();
    }

    private static MockFlowFile success(final TestRunner runner) {
        runner.assertAllFlowFilesTransferred("success", 1);
        return runner.getFlowFilesForRelationship("success").get(0);
    }

    private static MockFlowFile failure(final TestRunner runner) {
        runner.assertTransferCount("failure", 1);
        return runner.getFlowFilesForRelationship("failure").get(0);
    }

    private static List<JsonNode> rows(final MockFlowFile rejects) throws IOException {
        final List<JsonNode> rows = new ArrayList<>();
        MAPPER.readerFor(JsonNode.class).<JsonNode>readValues(rejects.getContent()).forEachRemaining(rows::add);
        return rows;
    }

    /** The message of a content that is in failure as it came, and nowhere else. */
    private static String refused(final TestRunner runner) {
        runner.assertAllFlowFilesTransferred("failure", 1);
        final MockFlowFile refused = failure(runner);
        assertThat(refused.getContent()).isEqualTo("content");
        refused.assertAttributeEquals("error_processor", "Hash the call");
        for (final String count : List.of("record.count", "rejects.count", "load.count")) {
            refused.assertAttributeNotExists(count);
        }
        return refused.getAttribute("error_message");
    }

    private static List<String> details(final TestRunner runner) {
        return runner.getProvenanceEvents().stream()
                .filter(event -> event.getEventType() == ProvenanceEventType.CONTENT_MODIFIED)
                .map(ProvenanceEventRecord::getDetails).toList();
    }
}
