package dev.rowhash.nifi;

import static dev.rowhash.nifi.LoadLogFlow.failed;
import static dev.rowhash.nifi.LoadLogFlow.item;
import static dev.rowhash.nifi.LoadLogFlow.nas;
import static dev.rowhash.nifi.LoadLogFlow.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rowhash.nifi.jni.ForkedJvm;
import dev.rowhash.nifi.jni.NativeLibrary;
import java.nio.charset.Charset;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import org.apache.nifi.components.PropertyDescriptor;
import org.apache.nifi.components.ValidationResult;
import org.apache.nifi.processor.Processor;
import org.apache.nifi.processor.Relationship;
import org.apache.nifi.reporting.InitializationException;
import org.apache.nifi.serialization.record.RecordFieldType;
import org.apache.nifi.serialization.record.RecordSchema;
import org.apache.nifi.util.MockFlowFile;
import org.apache.nifi.util.MockProcessContext;
import org.apache.nifi.util.TestRunner;
import org.apache.nifi.util.TestRunners;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReplayLoadLogTest {

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final long NOW = 1_772_030_000_000L;
    private static final List<String> ROUTES = List.of("row", "line", "file", "message", "record", "exhausted");

    @Test
    void isListedAsAProcessor() {
        assertThat(ServiceLoader.load(Processor.class)).hasAtLeastOneElementOfType(ReplayLoadLog.class);
    }

    @Test
    void savedFlowsFindTheirPropertiesAndRelationships() {
        final ReplayLoadLog processor = new ReplayLoadLog();
        assertThat(processor.getPropertyDescriptors()).extracting(PropertyDescriptor::getName)
                .containsExactly("Record Reader", "Maximum Retries", "Character Set");
        assertThat(processor.getPropertyDescriptors()).extracting(PropertyDescriptor::getDefaultValue)
                .containsExactly(null, "3", "UTF-8");
        assertThat(processor.getPropertyDescriptors())
                .allSatisfy(property -> assertThat(property.getDisplayName()).isEqualTo(property.getName()))
                .allSatisfy(property -> assertThat(property.getDescription()).isNotBlank());
        assertThat(processor.getRelationships()).extracting(Relationship::getName).containsExactlyInAnyOrder(
                "row", "line", "file", "message", "record", "exhausted", "claim", "original", "failure");
    }

    @Test
    void needsAReader() {
        assertThat(problems(TestRunners.newTestRunner(new ReplayLoadLog())).toString()).contains("Record Reader");
        runner().assertValid();
    }

    @ParameterizedTest
    @CsvSource({"Maximum Retries,-1", "Maximum Retries,x", "Character Set,UTF-99"})
    void aValueThatCannotBeIsInvalid(final String property, final String value) {
        final TestRunner runner = runner(property, value);
        assertThat(problems(runner)).hasSize(1).first().asString().contains(property);
    }

    @Test
    void aLibraryThatDoesNotLoadMakesTheProcessorInvalid() throws Exception {
        final ForkedJvm.Result result = ForkedJvm.run(
                List.of("-D" + NativeLibrary.PATH_PROPERTY + "=/nowhere/librowhash.so"), NoLibraryMain.class);

        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output()).contains("'Native Library'", "/nowhere/librowhash.so", "Cure:");
    }

    static final class NoLibraryMain {
        public static void main(final String[] arguments) {
            System.out.println(problems(runner()));
        }
    }

    // Where items go

    @Test
    void aJsonRowGoesToTheSink() {
        final TestRunner runner = run(record("line_content", "{\"ts\":\"1\",\"input\":\"각\\u0000\"}"));
        final MockFlowFile item = only(runner, "row");
        assertThat(item.getContent()).isEqualTo("{\"ts\":\"1\",\"input\":\"각\\u0000\"}");
        assertAttributes(item, "src_type", "NAS", "regn", "R01", "db_name", "bronze", "table_name", "nas_copilot_call",
                "base_dts", "20260225143000", "load.detail_seq", "7", "load.retry_count", "1", "load.created_dt",
                "1772029800000", "load.src_count", "10", "load.load_count", "8", "load.error_count", "2",
                "load.max_detail_seq", "10", "load.min_detail_seq", "-1", "absolute.path", "/in/", "filename", "a.log");
    }

    @Test
    void aRawLineGoesToWhatParsesIt() {
        final String line = "a\tb\0c\"\r\n\uD83D\uDE00{";
        final MockFlowFile item = only(run(record("line_content", line)), "line");
        assertThat(item.getContent()).isEqualTo(line);
        assertThat(item.getAttribute("load.unit")).isNull();
    }

    @Test
    void aLineThatWasNotKeptIsReadFromItsFileAgain() {
        final MockFlowFile item = only(run(record("line_content", null, "record_key", "42")), "file");
        assertThat(item.getSize()).isZero();
        assertAttributes(item, "absolute.path", "/in/", "filename", "a.log", "load.item", "42", "load.detail_seq", "7");
        assertThat(item.getAttribute("load.unit")).contains("/in/a.log");
    }

    @Test
    void aFileThatFailedAsAWholeIsReadAgainForAllItsItems() {
        final MockFlowFile item = only(run(record("line_content", null, "detail_seq", -1)), "file");
        assertAttributes(item, "load.detail_seq", "-1", "filename", "a.log");
        assertThat(item.getAttribute("load.item")).isNull();
    }

    @Test
    void aMessageIsConsumedAgain() {
        final MockFlowFile item = only(run(kafka(3_000_000_000L)), "message");
        assertAttributes(item, "kafka.topic", "calls", "kafka.partition", "1", "kafka.offset", "3000000000",
                "kafka_category", "copilot", "kafka_svc", "call", "src_type", "KAFKA");
        assertThat(item.getAttribute("absolute.path")).isNull();
        assertThat(item.getAttribute("filename")).isEqualTo(item.getAttribute("uuid"));
    }

    @Test
    void aDatabaseRowIsQueriedAgain() {
        final MockFlowFile item = only(run(record("src_type", "DB", "file_path", null, "file_name", null,
                "record_key", "id=5")), "record");
        assertAttributes(item, "record_key", "id=5");
    }

    @ParameterizedTest
    @CsvSource({"2,3,row,3", "3,3,exhausted,3", "9,3,exhausted,9", "0,0,exhausted,0", ",3,row,1", "4,5,row,5"})
    void anItemIsRunAgainAsOftenAsMaximumRetriesSays(final Integer retryCount, final String maximum, final String route,
                                                     final String next) {
        final TestRunner runner = run(List.of(record("line_content", "{}", "retry_count", retryCount)),
                "Maximum Retries", maximum);
        final MockFlowFile item = only(runner, route);
        assertAttributes(item, "load.retry_count", next);
        assertThat(item.getContent()).isEqualTo("{}");
        runner.assertTransferCount("claim", route.equals("row") ? 1 : 0);
        assertThat(runner.getCounterValue(route.equals("row") ? "Items Replayed" : "Items Exhausted")).isEqualTo(1);
    }

    @Test
    void itemsInheritNothingOfTheQuery() {
        final TestRunner runner = runner();
        enqueue(runner, List.of(record("line_content", "x")), Map.of("fragment.identifier", "query", "fragment.index", "0",
                "record.count", "1", "executesql.row.count", "1", "error_message", "old"));
        runner.run();
        assertThat(only(runner, "line").getAttributes()).doesNotContainKeys("fragment.identifier", "fragment.index",
                "record.count", "executesql.row.count", "error_message");
    }

    @Test
    void theOriginalGoesOnUnchanged() throws Exception {
        final TestRunner runner = runner();
        final MockFlowFile before = enqueue(runner, List.of(record("line_content", "x")), Map.of("a", "b"));
        runner.run();
        final MockFlowFile after = runner.getFlowFilesForRelationship("original").get(0);
        after.assertContentEquals(before.toByteArray());
        assertThat(after.getAttributes()).isEqualTo(before.getAttributes());
    }

    @Test
    void aLineIsEncodedAsItWas() {
        final TestRunner runner = run(List.of(record("line_content", "한글")), "Character Set", "EUC-KR");
        assertThat(only(runner, "line").toByteArray()).isEqualTo("한글".getBytes(Charset.forName("EUC-KR")));
    }

    // Claims

    @Test
    void whatIsPickedIsClaimedInOneFlowFile() {
        final TestRunner runner = run(List.of(record("line_content", "x", "detail_seq", 1), kafka(5),
                record("line_content", "x", "detail_seq", 2, "retry_count", 3)));

        final MockFlowFile claim = runner.getFlowFilesForRelationship("claim").get(0);
        final List<JsonNode> claims = LoadLogTables.records(claim);
        assertThat(claims).hasSize(2).allSatisfy(row -> {
            assertThat(row.get("status").textValue()).isEqualTo("RUNNING");
            assertThat(row.get("updated_dt").longValue()).isEqualTo(NOW);
            assertThat(row.fieldNames()).toIterable().containsExactlyInAnyOrder("src_type", "regn", "db_name", "table_name",
                    "base_dts", "detail_seq", "status", "retry_count", "updated_dt");
            assertThat(row.get("retry_count").intValue()).as("an item that never comes back is exhausted too").isEqualTo(1);
        });
        assertThat(claims).extracting(row -> row.get("src_type").textValue()).containsExactly("NAS", "KAFKA");
        assertThat(claim.getAttributes()).containsOnlyKeys("uuid", "path", "filename", "record.count", "mime.type");
    }

    @Test
    void aResultWithoutRowsIsNoWork() {
        final TestRunner runner = run(List.of());
        runner.assertTransferCount("original", 1);
        runner.assertTransferCount("claim", 0);
        ROUTES.forEach(route -> runner.assertTransferCount(route, 0));
    }

    @Test
    void manyRowsGoThroughManyCalls() {
        final List<Map<String, Object>> records = new ArrayList<>();
        for (int i = 1; i <= 2500; i++) {
            records.add(record("line_content", "line " + i, "detail_seq", i));
        }
        final TestRunner runner = run(records);
        assertThat(runner.getFlowFilesForRelationship("line")).extracting(MockFlowFile::getContent)
                .isEqualTo(records.stream().map(record -> record.get("line_content")).toList());
        assertThat(LoadLogTables.records(runner.getFlowFilesForRelationship("claim").get(0))).hasSize(2500);
    }

    // Columns

    @Test
    void theCaseOfTheColumnsDoesNotCount() {
        final Map<String, Object> upper = new LinkedHashMap<>();
        record("line_content", "x").forEach((name, value) -> upper.put(name.toUpperCase(Locale.ROOT), value));
        assertAttributes(only(run(upper), "line"), "load.detail_seq", "7", "load.src_count", "10");
    }

    @Test
    void numbersOfAnyTypeAreReadAsTheTablesHoldThem() {
        final Map<String, Object> record = kafka(0);
        record.put("detail_seq", 7.0);
        record.put("kafka_offset", "3000000000");
        record.put("kafka_partition", 0.0);
        record.put("src_count", new java.math.BigDecimal("1E+2"));
        assertAttributes(only(run(record), "message"), "load.detail_seq", "7", "kafka.offset", "3000000000",
                "kafka.partition", "0", "load.src_count", "100");
    }

    @Test
    void columnsThatAreMissingAreAbsent() {
        final Map<String, Object> record = record("line_content", "x");
        record.keySet().removeAll(List.of("created_dt", "file_path", "file_name", "retry_count", "record_key", "src_count"));
        final MockFlowFile item = only(run(record), "line");
        assertAttributes(item, "load.retry_count", "1");
        assertThat(item.getAttributes()).doesNotContainKeys("load.created_dt", "absolute.path", "record_key", "load.src_count");
    }

    @ParameterizedTest
    @CsvSource({"src_type,FTP,must be DB", "regn,,regn is empty", "base_dts,2026,yyyyMMddHHmmss", "detail_seq,,detail_seq",
            "detail_seq,x,detail_seq is 'x'", "retry_count,many,retry_count is 'many'", "file_name,,names neither content",
            "created_dt,2026-02-25 14:30:00,epoch milliseconds", "start_ts,2026-02-25 14:30:00,epoch milliseconds"})
    void aRecordThatCannotBeRunAgainSaysWhy(final String column, final String value, final String reason) {
        final Map<String, Object> bad = record("line_content", null, column, value);
        final TestRunner runner = run(List.of(bad, record("line_content", "x")));

        final MockFlowFile failure = only(runner, "failure");
        assertThat(failure.getAttribute("error_message")).contains(reason);
        failure.assertAttributeEquals("error_processor", "Run again");
        failure.assertAttributeEquals("table_name", "nas_copilot_call");
        failure.assertAttributeEquals("error_count", "2");
        runner.assertTransferCount("original", 1);
        runner.assertTransferCount("line", 1);
        // What cannot be run again uses its retries up too, if it is known which item it is.
        final int claims = column.equals("file_name") ? 2 : 1;
        assertThat(LoadLogTables.records(runner.getFlowFilesForRelationship("claim").get(0))).hasSize(claims);
        assertThat(runner.getCounterValue("Items Replayed")).isEqualTo(1);
        assertThat(runner.getCounterValue("Records Refused")).isEqualTo(1);
        assertThat(runner.getLogger().getWarnMessages()).hasSize(1).first()
                .satisfies(line -> assertThat(Arrays.asList(line.getArgs()).toString()).contains(reason));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1500})
    void aResultThatCannotBeReadGoesToFailureAndNothingElseDoes(final int goodRows) {
        final StringBuilder content = new StringBuilder();
        for (int i = 0; i < goodRows; i++) {
            content.append(json(record("line_content", "x", "detail_seq", i + 1))).append('\n');
        }
        final TestRunner runner = runner();
        runner.enqueue(content + "{\"src_type\":");
        runner.run();

        runner.assertAllFlowFilesTransferred("failure", 1);
        final MockFlowFile failure = runner.getFlowFilesForRelationship("failure").get(0);
        failure.assertContentEquals(content + "{\"src_type\":");
        assertThat(failure.getAttribute("error_message")).contains("cannot be read", "no JSON", "Record Reader");
        failure.assertAttributeEquals("error_processor", "Run again");
    }

    /** As readers of Avro do for a broken block. */
    @Test
    void aReaderThatBreaksDownDoesNotStopTheQueue() throws InitializationException {
        final TestRunner runner = TestRunners.newTestRunner(new ReplayLoadLog(() -> NOW), "Run again");
        final RecordServices.ListReader reader = new RecordServices.ListReader(null,
                List.of(new IllegalStateException("the block is broken")));
        runner.addControllerService("reader", reader);
        runner.enableControllerService(reader);
        runner.setProperty("Record Reader", "reader");
        runner.enqueue("a result");
        runner.run();

        runner.assertAllFlowFilesTransferred("failure", 1);
        assertThat(runner.getFlowFilesForRelationship("failure").get(0).getAttribute("error_message"))
                .contains("cannot be read", "the block is broken");
    }

    @ParameterizedTest
    @ValueSource(strings = {"created_dt", "start_ts"})
    void aTimeThatSomeZoneMayHaveShiftedIsRefused(final String column) {
        final RecordSchema schema = RecordServices.schema(column, RecordFieldType.TIMESTAMP);
        assertThat(ReplayRecord.of(RecordServices.record(schema, Map.of(column, new Timestamp(NOW)))).problem())
                .hasValueSatisfying(problem -> assertThat(problem).contains(column + " is a TIMESTAMP", "epoch milliseconds"));
        assertThat(ReplayRecord.of(RecordServices.record(schema, Map.of(column, NOW))).problem()).isEmpty();
    }

    // Round trips through EmitLoadLog

    @Test
    void aFailureThatIsRunAgainBecomesASuccess() {
        final LoadLogFlow flow = loadWithFailures("Closed Batch Retention", "10 min");
        assertThat(replay(flow, "line", new String[0])).isEqualTo("SUCCESS 3 = 3 + 0");
        assertThat(flow.tables.detail(2).get("status").textValue()).isEqualTo("SUCCESS");
        assertThat(flow.tables.detail(2).get("retry_count").intValue()).isEqualTo(1);
    }

    @Test
    void aBatchThatWasClosedIsOpenedAgainFromTheCountsThatTheReplayCarries() {
        final LoadLogFlow flow = loadWithFailures();
        flow.close();
        final long created = flow.tables.detail(2).get("created_dt").longValue();
        final long began = flow.tables.masterRecord().get("start_ts").longValue();

        assertThat(replay(flow, "line", new String[0])).isEqualTo("SUCCESS 3 = 3 + 0");
        assertThat(flow.tables.detail(2).get("retry_count").intValue()).isEqualTo(1);
        assertThat(flow.tables.detail(2).get("created_dt").longValue()).isEqualTo(created);
        assertThat(flow.tables.masterRecord().get("start_ts").longValue()).isEqualTo(began).isLessThan(flow.clock.get());
        assertThat(flow.tables.masterRecord().get("created_dt").longValue()).isEqualTo(began);
        flow.close();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 3 = 3 + 0");
    }

    @Test
    void anItemThatFailsThreeTimesMoreIsExhausted() {
        final LoadLogFlow flow = loadWithFailures();
        for (int retry = 1; retry <= 3; retry++) {
            assertThat(replay(flow, "line", failed("ExtractText", "no match " + retry))).isEqualTo("PARTIAL 3 = 2 + 1");
            assertThat(flow.tables.detail(2).get("retry_count").intValue()).isEqualTo(retry);
            assertThat(flow.tables.detail(2).get("error_message").textValue()).isEqualTo("no match " + retry);
            assertThat(flow.tables.detail(2).get("line_content").textValue()).isEqualTo("line 2");
            flow.close();
        }
        only(run(query(flow)), "exhausted");
    }

    @Test
    void aFileThatWasGoneIsReadAgainAndItsItemsTakeItsPlace() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("", nas(failed("FetchFile", "not found"))).trigger().settle();
        assertThat(flow.tables.master()).isEqualTo("FAIL 1 = 0 + 1");

        final Map<String, String> file = only(run(query(flow)), "file").getAttributes();
        for (int i = 1; i <= 2; i++) {
            flow.enqueue("line " + i, with(file, "fragment.identifier", "new", "fragment.index", Integer.toString(i),
                    "fragment.count", "2"));
        }
        flow.trigger().settle();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 2 = 2 + 0");
        assertThat(flow.tables.details().values()).allSatisfy(row ->
                assertThat(row.get("status").textValue()).isEqualTo("SUCCESS"));
    }

    @Test
    void aLineThatWasTooLongToKeepIsReadFromItsFileAgainAndNoOtherIsCounted() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("line 1", item("u", 1, 2))
                .enqueue("x".repeat(70_000), item("u", 2, 2, failed("PutKudu", "too long"))).trigger().settle();
        final Map<String, String> file = only(run(query(flow)), "file").getAttributes();
        for (int i = 1; i <= 2; i++) {
            flow.enqueue("line " + i, with(file, "fragment.identifier", "new", "fragment.index", Integer.toString(i),
                    "fragment.count", "2"));
        }
        flow.trigger().settle();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 2 = 2 + 0");
        assertThat(flow.tables.details()).containsOnlyKeys(2);
        assertThat(flow.tables.detail(2).get("status").textValue()).isEqualTo("SUCCESS");
    }

    @Test
    void aReplayOfAClosedBatchWithoutAMasterRowIsRefusedAndThatOfAnOpenOneIsNot() {
        final LoadLogFlow flow = loadWithFailures();
        final List<Map<String, Object>> records = query(flow);
        records.forEach(record -> record.keySet().removeAll(List.of("src_count", "load_count", "error_count")));
        final MockFlowFile item = only(run(records), "line");

        flow.close();
        flow.enqueue(item.getContent(), item.getAttributes()).trigger().settle();
        assertThat(flow.refused).hasSize(1);
        assertThat(flow.refused.get(0).getAttribute("load.refused")).contains("NAS R01 bronze.nas_copilot_call 20260225143000",
                "load_log_master has no row of it", "write that row again", "load.src_count");
        assertThat(flow.tables.master()).isEqualTo("PARTIAL 3 = 2 + 1");
        assertThat(flow.tables.detail(2).get("status").textValue()).isEqualTo("FAIL");

        flow.enqueue(item.getContent(), with(flow.refused.get(0).getAttributes(), "load.src_count", "3", "load.load_count", "2",
                "load.error_count", "1")).trigger().settle();
        assertThat(flow.refused).hasSize(1);
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 3 = 3 + 0");

        final LoadLogFlow open = loadWithFailures();
        open.enqueue(item.getContent(), item.getAttributes()).trigger().settle();
        assertThat(open.refused).isEmpty();
        assertThat(open.tables.master()).isEqualTo("SUCCESS 3 = 3 + 0");
    }

    private static LoadLogFlow loadWithFailures(final String... properties) {
        final LoadLogFlow flow = new LoadLogFlow(properties);
        flow.enqueue("line 1", item("u", 1, 3)).enqueue("line 2", item("u", 2, 3, failed("ExtractText", "no match")))
                .enqueue("line 3", item("u", 3, 3)).trigger().settle();
        assertThat(flow.tables.master()).isEqualTo("PARTIAL 3 = 2 + 1");
        return flow;
    }

    /** Runs the failures again, each with this outcome. */
    private static String replay(final LoadLogFlow flow, final String route, final String[] outcome) {
        final TestRunner runner = run(query(flow));
        runner.getFlowFilesForRelationship("claim").forEach(flow.tables::upsertDetails);
        for (final MockFlowFile item : runner.getFlowFilesForRelationship(route)) {
            flow.enqueue(item.getContent(), with(item.getAttributes(), outcome));
        }
        return flow.trigger().settle().tables.master();
    }

    /** What the re-run query finds in the tables. */
    private static List<Map<String, Object>> query(final LoadLogFlow flow) {
        final List<Map<String, Object>> records = new ArrayList<>();
        flow.tables.details().values().stream().filter(row -> row.get("status").textValue().equals("FAIL")).forEach(row -> {
            final Map<String, Object> record = MAPPER.convertValue(row, new TypeReference<>() { });
            for (final String count : List.of("src_count", "load_count", "error_count", "start_ts")) {
                record.put(count, flow.tables.masterRecord().get(count).numberValue());
            }
            record.put("max_detail_seq", flow.tables.details().keySet().stream().max(Integer::compare).orElseThrow());
            record.put("min_detail_seq", flow.tables.details().keySet().stream().min(Integer::compare).orElseThrow());
            records.add(record);
        });
        return records;
    }

    // Helpers

    private static Map<String, Object> record(final Object... columns) {
        final Map<String, Object> record = new LinkedHashMap<>(Map.of("src_type", "NAS", "regn", "R01", "db_name", "bronze",
                "table_name", "nas_copilot_call", "base_dts", "20260225143000", "detail_seq", 7, "retry_count", 0,
                "file_path", "/in/", "file_name", "a.log", "created_dt", 1772029800000L));
        record.putAll(Map.of("src_count", 10, "load_count", 8, "error_count", 2, "max_detail_seq", 10, "min_detail_seq", -1));
        for (int i = 0; i < columns.length; i += 2) {
            record.put((String) columns[i], columns[i + 1]);
        }
        return record;
    }

    private static Map<String, Object> kafka(final long offset) {
        return record("src_type", "KAFKA", "file_path", null, "file_name", null, "kafka_topic", "calls", "kafka_partition", 1,
                "kafka_offset", offset, "kafka_category", "copilot", "kafka_svc", "call");
    }

    private static String json(final Map<String, Object> record) {
        return MAPPER.valueToTree(record).toString();
    }

    private static TestRunner runner(final String... properties) {
        final TestRunner runner = TestRunners.newTestRunner(new ReplayLoadLog(() -> NOW), "Run again");
        try {
            final JsonLines reader = new JsonLines();
            runner.addControllerService("reader", reader);
            runner.enableControllerService(reader);
        } catch (final InitializationException e) {
            throw new AssertionError(e);
        }
        runner.setProperty("Record Reader", "reader");
        for (int i = 0; i < properties.length; i += 2) {
            runner.setProperty(properties[i], properties[i + 1]);
        }
        return runner;
    }

    private static MockFlowFile enqueue(final TestRunner runner, final List<Map<String, Object>> records,
                                        final Map<String, String> attributes) {
        final StringBuilder content = new StringBuilder();
        records.forEach(record -> content.append(json(record)).append('\n'));
        return runner.enqueue(content.toString(), attributes);
    }

    private static TestRunner run(final Map<String, Object> record) {
        return run(List.of(record));
    }

    private static TestRunner run(final List<Map<String, Object>> records, final String... properties) {
        final TestRunner runner = runner(properties);
        enqueue(runner, records, Map.of());
        runner.run();
        return runner;
    }

    /** The only item on a relationship, with none on the others. */
    private static MockFlowFile only(final TestRunner runner, final String relationship) {
        for (final String route : ROUTES) {
            if (!relationship.equals("failure")) {
                runner.assertTransferCount(route, route.equals(relationship) ? 1 : 0);
            }
        }
        assertThat(runner.getFlowFilesForRelationship(relationship)).hasSize(1);
        return runner.getFlowFilesForRelationship(relationship).get(0);
    }

    private static void assertAttributes(final MockFlowFile flowFile, final String... attributes) {
        for (int i = 0; i < attributes.length; i += 2) {
            flowFile.assertAttributeEquals(attributes[i], attributes[i + 1]);
        }
    }

    private static List<String> problems(final TestRunner runner) {
        return ((MockProcessContext) runner.getProcessContext()).validate().stream()
                .filter(result -> !result.isValid()).map(ValidationResult::toString).toList();
    }
}
