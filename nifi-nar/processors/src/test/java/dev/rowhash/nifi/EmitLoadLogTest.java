package dev.rowhash.nifi;

import static dev.rowhash.nifi.LoadLogFlow.failed;
import static dev.rowhash.nifi.LoadLogFlow.item;
import static dev.rowhash.nifi.LoadLogFlow.nas;
import static dev.rowhash.nifi.LoadLogFlow.original;
import static dev.rowhash.nifi.LoadLogFlow.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rowhash.nifi.jni.ForkedJvm;
import dev.rowhash.nifi.jni.NativeLibrary;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.stream.IntStream;
import org.apache.nifi.components.PropertyDescriptor;
import org.apache.nifi.components.ValidationResult;
import org.apache.nifi.processor.Processor;
import org.apache.nifi.processor.Relationship;
import org.apache.nifi.util.LogMessage;
import org.apache.nifi.util.MockFlowFile;
import org.apache.nifi.util.MockProcessContext;
import org.apache.nifi.util.TestRunner;
import org.apache.nifi.util.TestRunners;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EmitLoadLogTest {

    private static final String KOREAN = "각";

    @Test
    void eachAttemptHasItsMasterRecordsInAFlowFile() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("line", LoadLogFlow.item("u", 1, 1, LoadLogFlow.failed("PutKudu", "no"))).trigger().settle();
        final Map<String, String> replayed = LoadLogFlow.item("v", 1, 1, "load.detail_seq", "1", "load.retry_count", "1",
                "load.src_count", "1", "load.load_count", "0", "load.error_count", "1", "load.max_detail_seq", "1", "load.min_detail_seq", "1");
        final Map<String, String> other = LoadLogFlow.item("w", 1, 1, "table_name", "other");
        flow.enqueue("line", replayed).enqueue("line", other).runner.run(1, false);
        assertThat(flow.runner.getFlowFilesForRelationship("master")).extracting(file -> file.getAttribute("load.attempt"))
                .containsExactly("1", "2");
        assertThat(flow.runner.getFlowFilesForRelationship("master")).extracting(file -> file.getAttribute("record.count"))
                .containsExactly("1", "1");
    }

    @Test
    void isListedAsAProcessor() {
        assertThat(ServiceLoader.load(Processor.class)).hasAtLeastOneElementOfType(EmitLoadLog.class);
    }

    @Test
    void savedFlowsFindTheirPropertiesAndRelationships() {
        final EmitLoadLog processor = new EmitLoadLog();
        assertThat(processor.getPropertyDescriptors()).extracting(PropertyDescriptor::getName).containsExactly(
                "Source Type", "Region", "Database Name", "Table Name", "Base Timestamp", "Outcome", "Line Content",
                "Line Content Attribute", "Character Set", "File Path", "File Name", "Kafka Topic", "Kafka Partition",
                "Kafka Offset", "Kafka Category", "Kafka Service", "Record Key", "Row Hash", "Settle Time", "Batch Timeout",
                "Closed Batch Retention", "Log Loaded Items", "Batch Size");
        assertThat(processor.getPropertyDescriptors()).extracting(PropertyDescriptor::getDefaultValue).containsExactly(
                "${src_type}", "${regn}", "${db_name}", "${table_name}", "${base_dts}", "${load.outcome}", "Content", null,
                "UTF-8", "${absolute.path}", "${filename}", "${kafka.topic}", "${kafka.partition}", "${kafka.offset}",
                "${kafka_category}", "${kafka_svc}", "${record_key}", "${row_hash}", "5 sec", "1 day", "10 min", "false", "1000");
        assertThat(processor.getPropertyDescriptors())
                .allSatisfy(property -> assertThat(property.getDisplayName()).isEqualTo(property.getName()))
                .allSatisfy(property -> assertThat(property.getDescription()).isNotBlank());
        assertThat(processor.getRelationships()).extracting(Relationship::getName)
                .containsExactlyInAnyOrder("success", "master", "detail", "failure");
    }

    // Validation

    @Test
    void isValidAsItComes() {
        TestRunners.newTestRunner(new EmitLoadLog()).assertValid();
    }

    @ParameterizedTest
    @CsvSource({"Settle Time,5", "Batch Timeout,soon", "Closed Batch Retention,-1 sec", "Batch Size,0", "Batch Size,x",
            "Character Set,no such set", "Character Set,UTF-99", "Log Loaded Items,maybe", "Line Content,All"})
    void aValueThatCannotBeIsInvalid(final String property, final String value) {
        final TestRunner runner = TestRunners.newTestRunner(new EmitLoadLog());
        runner.setProperty(property, value);
        assertThat(problems(runner)).hasSize(1).first().asString().contains(property);
    }

    @Test
    void theAttributeWithTheLineMustBeNamed() {
        final TestRunner runner = TestRunners.newTestRunner(new EmitLoadLog());
        runner.setProperty("Line Content", "Attribute");
        assertThat(problems(runner).toString()).contains("Line Content Attribute");
        runner.setProperty("Line Content Attribute", "line");
        runner.assertValid();
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
            System.out.println(problems(TestRunners.newTestRunner(new EmitLoadLog())));
        }
    }

    // The paths of the flow

    @Test
    void aSplitFileThatLoadsIsRunningAndThenASuccess() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("all", original("u", 3)).enqueueItems("u", 3).trigger();
        assertThat(flow.tables.master()).isEqualTo("RUNNING 3 = 3 + 0");
        assertThat(flow.tables.masterRecord().get("end_ts").isNull()).isTrue();
        assertThat(flow.logged).hasSize(4);

        flow.settle();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 3 = 3 + 0");
        assertThat(flow.tables.details()).isEmpty();

        flow.close();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 3 = 3 + 0");
        assertThat(flow.tables.statuses()).startsWith("RUNNING").doesNotContain("PARTIAL", "FAIL");
    }

    @Test
    void theMasterRecordHasEveryColumnAndItsTimesAreInstants() {
        final LoadLogFlow flow = new LoadLogFlow();
        final long begin = flow.clock.get();
        flow.enqueueItems("u", 1).trigger().settle();

        final JsonNode master = flow.tables.masterRecord();
        assertThat(master.fieldNames()).toIterable().containsExactly("src_type", "regn", "db_name", "table_name", "base_dts",
                "base_dt", "status", "src_count", "load_count", "error_count", "start_ts", "end_ts", "created_dt",
                "updated_dt");
        assertThat(master.get("base_dt").textValue()).isEqualTo("20260225");
        assertThat(master.get("start_ts").longValue()).isEqualTo(begin);
        assertThat(master.get("created_dt").longValue()).isEqualTo(begin);
        assertThat(master.get("end_ts").longValue()).isEqualTo(begin);
        assertThat(master.get("updated_dt").longValue()).isEqualTo(begin + 5000);
    }

    @Test
    void aBatchWhoseItemsAreOnTheirWayIsNotFinal() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("all", original("u", 2)).enqueue("one", item("u", 1, 2)).trigger();
        flow.after(Duration.ofHours(23));
        assertThat(flow.tables.master()).isEqualTo("RUNNING 2 = 1 + 0");

        flow.enqueue("two", item("u", 2, 2)).trigger();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 2 = 2 + 0");
    }

    @Test
    void aLineThatDoesNotMatchIsARowWithItsReasonAndContent() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("line 1", item("u", 1, 2))
                .enqueue("line\t2", item("u", 2, 2, failed("ExtractText", "no match"))).trigger().settle();

        assertThat(flow.tables.master()).isEqualTo("PARTIAL 2 = 1 + 1");
        final JsonNode detail = flow.tables.detail(2);
        assertThat(detail.fieldNames()).toIterable().containsExactly("src_type", "regn", "db_name", "table_name", "base_dts",
                "detail_seq", "base_dt", "status", "error_message", "error_processor", "retry_count", "file_path", "file_name",
                "line_content", "kafka_topic", "kafka_category", "kafka_svc", "kafka_offset", "kafka_partition", "record_key",
                "created_dt", "updated_dt");
        assertTexts(detail, "status", "FAIL", "error_message", "no match", "error_processor", "ExtractText",
                "file_path", "/in/", "file_name", "a.log", "line_content", "line\t2");
        assertThat(detail.get("retry_count").intValue()).isZero();
        assertThat(detail.get("created_dt").longValue()).isEqualTo(flow.clock.get() - 5000);
    }

    @Test
    void aBatchThatLostEveryItemIsAFailure() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("x", item("u", 1, 1, failed("PutKudu", "refused"))).trigger().settle();
        assertThat(flow.tables.master()).isEqualTo("FAIL 1 = 0 + 1");
    }

    @Test
    void aProcessorThatGivesNoReasonIsNamedAndItsBulletinPointedTo() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("{\"ts\":1}", item("u", 1, 1, "error_processor", "PutKudu")).trigger();

        assertThat(flow.tables.master()).isEqualTo("RUNNING 1 = 0 + 1");
        assertTexts(flow.tables.detail(1), "error_processor", "PutKudu", "line_content", "{\"ts\":1}");
        assertThat(flow.tables.detail(1).get("error_message").textValue())
                .contains("PutKudu gave no reason", "bulletin", flow.logged.get(0).getAttribute("uuid"));
    }

    @Test
    void theOutcomePropertyDecides() {
        final LoadLogFlow flow = new LoadLogFlow("Outcome", "${how}");
        flow.enqueue("1", item("u", 1, 2, with(Map.of("how", "loaded"), failed("Old", "stale"))));
        flow.enqueue("2", item("u", 2, 2, Map.of("how", "failed"))).trigger().settle();

        assertThat(flow.tables.master()).isEqualTo("PARTIAL 2 = 1 + 1");
        assertThat(flow.tables.details()).containsOnlyKeys(2);
        assertThat(flow.tables.detail(2).get("error_message").textValue()).contains("gave no reason");
    }

    @Test
    void aFileThatIsGoneIsTheFailureOfItsUnit() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("", nas(failed("FetchFile", "not found"))).trigger().settle();

        assertThat(flow.tables.master()).isEqualTo("FAIL 1 = 0 + 1");
        assertThat(flow.tables.details()).hasSize(1);
        assertThat(flow.tables.details().keySet()).allSatisfy(seq -> assertThat(seq).isNegative());
    }

    @Test
    void aFileThatGoesThroughAtOnceIsCountedByItsRowsAndItsRejects() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("good rows", nas("record.count", "98", "rejects.count", "2")).trigger();
        assertThat(flow.tables.master()).isEqualTo("RUNNING 100 = 98 + 0");
        flow.settle();
        assertThat(flow.tables.master()).isEqualTo("RUNNING 100 = 98 + 0");

        flow.enqueue("""
                {"row_index":7,"line_number":8,"error_message":"bad \\"ts\\" \\u00e9","line_content":"a\\tb"}
                {"row_index":50,"line_number":51,"error_message":"too long","line_content":null}
                """, nas("record.count", "98", "rejects.count", "2", "error_processor", "ComputeRowHash",
                "error_message", "2 rows")).trigger().settle();
        assertThat(flow.tables.master()).isEqualTo("PARTIAL 100 = 98 + 2");
        assertThat(flow.tables.details()).hasSize(2);
        assertThat(flow.tables.details().values()).extracting(row -> row.get("error_message").textValue())
                .containsExactlyInAnyOrder("bad \"ts\" é", "too long");
        assertThat(flow.tables.details().values()).extracting(row -> row.get("line_content").textValue())
                .containsExactlyInAnyOrder("a\tb", null);
        assertThat(flow.tables.details().values()).allSatisfy(row -> assertTexts(row, "error_processor", "ComputeRowHash"));
        assertThat(flow.logged).hasSize(2);
    }

    @Test
    void theGoodPartOfAFileThatFailsLaterIsNoListOfRejects() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("{\"ts\":\"1\"}\n{\"ts\":\"2\"}\n", nas("record.count", "1", "rejects.count", "1", "load.count", "3",
                "error_processor", "PutKudu")).trigger().settle();

        assertThat(flow.tables.master()).isEqualTo("FAIL 3 = 0 + 3");
        assertThat(flow.refused).isEmpty();
    }

    @Test
    void aFragmentOfManyRowsIsCountedByItsRows() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("rows", item("u", 1, 2, "record.count", "50", "load.count", "50"));
        flow.enqueue("rows", item("u", 2, 2, "record.count", "48", "rejects.count", "2", "load.count", "50"));
        flow.enqueue("""
                {"row_index":1,"error_message":"bad","line_content":"x"}
                {"row_index":2,"error_message":"bad","line_content":"x"}
                """, item("u", 2, 2, "rejects.count", "2", "load.count", "50", "error_processor", "ComputeRowHash"));
        flow.trigger().settle();

        assertThat(flow.tables.master()).isEqualTo("PARTIAL 100 = 98 + 2");
        assertThat(flow.tables.details()).hasSize(2);
    }

    @Test
    void aFileThatFailsAsAWholeIsNotKeptAsALine() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("line 1\nline 2\n", nas(failed("SplitText", "header"))).trigger();

        final JsonNode detail = flow.tables.details().values().iterator().next();
        assertThat(detail.get("line_content").isNull()).isTrue();
        assertTexts(detail, "file_path", "/in/", "file_name", "a.log");
    }

    @Test
    void aLineOfRejectsThatCannotBeReadKeepsItsFlowFileAndTheOthersAreLogged() {
        final LoadLogFlow flow = new LoadLogFlow();
        final String good = """
                {"row_index":7,"error_message":"bad","line_content":"x"}

                {"row_index":50,"error_message":
                {"row_index":0,"error_message":"bad"}
                {"row_index":51,"error_message":"bad","line_content":"y"}
                """;
        for (final String rejects : List.of(good, "{\n\u00ff" + good)) {
            flow.enqueue(rejects, nas("rejects.count", "4", "error_processor", "ComputeRowHash"));
        }
        flow.enqueue("x", item("u", 1, 1)).trigger();

        assertThat(flow.refused).hasSize(2);
        assertThat(flow.refused.get(0).getAttribute("load.refused"))
                .contains("Line 3 of the rejects is not logged", "row_index, error_message and line_content", "column");
        assertThat(flow.refused.get(1).getAttribute("load.refused")).contains("Line 1 of the rejects");
        flow.refused.get(0).assertContentEquals(good);
        assertThat(flow.tables.master()).isEqualTo("RUNNING 3 = 1 + 2");
        assertThat(flow.tables.details().values()).extracting(row -> row.get("line_content").textValue())
                .containsExactlyInAnyOrder("x", "y");

        flow.enqueue(good.replace(":\n", ":\"repaired\"}\n").replace(":0,", ":52,"),
                nas("rejects.count", "4", "error_processor", "ComputeRowHash")).trigger().settle();
        assertThat(flow.refused).hasSize(2);
        assertThat(flow.tables.master()).isEqualTo("PARTIAL 5 = 1 + 4");
    }

    @Test
    void aLineOfRejectsThatNeverEndsIsNotHeldInMemory() {
        final LoadLogFlow flow = new LoadLogFlow();
        final String good = "{\"row_index\":7,\"error_message\":\"bad\"}\n";
        flow.enqueue(good + "{\"row_index\":8," + " ".repeat(RejectLines.MAX_CHARACTERS),
                nas("rejects.count", "2", "error_processor", "ComputeRowHash")).trigger();

        assertThat(flow.refused).hasSize(1);
        assertThat(flow.refused.get(0).getAttribute("load.refused")).contains("line 2 has more than 16777216 characters");
        assertThat(flow.tables.master()).isEqualTo("RUNNING 1 = 0 + 1");
    }

    @Test
    void whatRejectsHoldOfTheirRowsIsKeptByLineContent() {
        final String rejects = "{\"row_index\":1,\"error_message\":\"x\",\"line_content\":\"raw\"}\n";
        for (final String kept : List.of("Content", "None")) {
            final LoadLogFlow flow = new LoadLogFlow("Line Content", kept);
            flow.enqueue(rejects, nas("rejects.count", "1", "error_processor", "ComputeRowHash")).trigger();
            assertThat(flow.tables.details().values()).singleElement()
                    .satisfies(row -> assertThat(row.get("line_content").textValue()).isEqualTo(kept.equals("None") ? null : "raw"));
        }
    }

    @Test
    void anAttributeThatIsNamedLikeRejectsIsNone() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("1", item("u", 1, 1, "reject", "x", "reject.content", "none")).trigger().settle();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 1 = 1 + 0");
    }

    // Identical rows

    @Test
    void itemsOfAUnitWithOneHashAreCountedAsIdenticalRows() {
        final LoadLogFlow flow = new LoadLogFlow();
        final String[] hashes = {"a", "b", "a", "c", "a", "b"};
        for (final String unit : List.of("u", "v")) {
            for (int index = 1; index <= hashes.length; index++) {
                flow.enqueue("x", item(unit, index, hashes.length, "row_hash", hashes[index - 1]));
            }
        }
        flow.enqueue("all", original("u", 6, "row_hash", "a"));
        flow.enqueue("x", item("u", 6, 6, with(Map.of("row_hash", "a"), failed("PutKudu", "not loaded")))).trigger();
        assertThat(flow.runner.getCounterValue("Identical Rows")).as("two of a and one of b, in each unit").isEqualTo(6);
        assertThat(flow.tables.master()).as("each of them is loaded").isEqualTo("RUNNING 12 = 12 + 0");

        for (int index = 1; index <= hashes.length; index++) {
            flow.enqueue("x", item("u", index, hashes.length, "row_hash", hashes[index - 1]));
        }
        flow.trigger();
        assertThat(flow.runner.getCounterValue("Identical Rows")).as("items that come again").isEqualTo(6);
    }

    @Test
    void twoIdenticalRowsAreCountedWhicheverComesFirst() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("x", item("u", 2, 2, "row_hash", "a")).enqueue("x", item("u", 1, 2, "row_hash", "a")).trigger();
        flow.enqueue("x", item("u", 2, 2, "row_hash", "a")).enqueue("x", item("u", 1, 2, "row_hash", "a")).trigger();
        assertThat(flow.runner.getCounterValue("Identical Rows")).isEqualTo(1);
    }

    @Test
    void messagesWithOneHashAreIdenticalRowsOfTheirPartition() {
        final LoadLogFlow flow = new LoadLogFlow("Row Hash", "${my.hash}");
        flow.enqueue("1", kafka(0, 7, "my.hash", "a")).enqueue("2", kafka(1, 8, "my.hash", "a")).trigger();
        assertThat(flow.runner.getCounterValue("Identical Rows")).isNull();
        flow.enqueue("3", kafka(0, 3_000_000_000L, "my.hash", "a")).trigger();
        assertThat(flow.runner.getCounterValue("Identical Rows")).isEqualTo(1);
    }

    @Test
    void aFileThatGoesThroughAtOnceBringsTheNumberOfItsIdenticalRows() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("rows", nas("record.count", "100", "rows.identical", "3"));
        flow.enqueue("rows", nas("filename", "b.log", "record.count", "100", "rows.identical", "many"));
        flow.enqueue("rows", nas("filename", "c.log", "load.count", "100", "rows.identical", "5", "error_processor", "PutKudu"));
        flow.trigger();
        assertThat(flow.runner.getCounterValue("Identical Rows")).isEqualTo(3);
        assertThat(flow.tables.master()).isEqualTo("RUNNING 300 = 200 + 100");
    }

    @Test
    void messagesWithoutASplitAreNamedByPartitionAndOffset() {
        final LoadLogFlow flow = new LoadLogFlow();
        final long offset = 3_000_000_000L;
        flow.enqueue("one", kafka(0, offset)).enqueue("two", kafka(0, offset + 1, failed("ExtractText", "no match")))
                .enqueue("three", kafka(1, offset, "error_processor", "PutKudu", "record_key", "k")).trigger().settle();

        assertThat(flow.tables.master()).isEqualTo("PARTIAL 3 = 1 + 2");
        assertThat(flow.tables.details().values()).extracting(row -> row.get("kafka_offset").longValue())
                .containsExactlyInAnyOrder(offset + 1, offset);
        assertThat(flow.tables.details().values()).extracting(row -> row.get("kafka_partition").intValue())
                .containsExactlyInAnyOrder(0, 1);
        assertThat(flow.tables.details().values()).allSatisfy(row -> assertTexts(row, "kafka_topic", "calls",
                "kafka_category", "copilot", "kafka_svc", "call"));
        assertThat(flow.tables.details().values()).allSatisfy(row -> assertThat(row.get("file_name").isNull()).isTrue());
    }

    @Test
    void aMessageOfManyRowsIsASplitLikeAFile() {
        final LoadLogFlow flow = new LoadLogFlow();
        final Map<String, String> message = kafka(0, 17);
        flow.enqueue("1", with(message, "fragment.identifier", "m", "fragment.index", "1", "fragment.count", "2"));
        flow.enqueue("2", with(message, "fragment.identifier", "m", "fragment.index", "2", "fragment.count", "2",
                "error_processor", "PutKudu")).trigger().settle();

        assertThat(flow.tables.master()).isEqualTo("PARTIAL 2 = 1 + 1");
        assertThat(flow.tables.detail(2).get("kafka_offset").longValue()).isEqualTo(17);
    }

    @Test
    void bundlesAndResultSetsOfOneBatchAddUpByTheirUnits() {
        for (final Map<String, String> source : List.of(with(kafka(0, 7), "kafka.offset", null), db())) {
            final LoadLogFlow flow = new LoadLogFlow();
            flow.enqueue("rows", with(source, "load.unit", "a", "load.count", "10", "record.count", "10"));
            flow.enqueue("rows", with(source, "load.unit", "b", "load.count", "5", "record.count", "5"));
            flow.enqueue("rows", with(source, "load.unit", "c", "load.count", "4", "record.count", "1", "error_processor", "PutKudu"));
            flow.trigger().settle();

            assertThat(flow.tables.master()).isEqualTo("PARTIAL 19 = 15 + 4");
            assertThat(flow.tables.details()).hasSize(1);
        }
    }

    @Test
    void rowsOfADatabaseAreItemsOfTheirSplitAndCarryTheirKey() {
        final LoadLogFlow flow = new LoadLogFlow();
        for (int index = 0; index < 3; index++) {
            flow.enqueue("{\"id\":" + index + "}", db("fragment.identifier", "q", "fragment.index", Integer.toString(index),
                    "fragment.count", "3", "record_key", "id=" + index, index == 1 ? "error_processor" : "x", "PutKudu"));
        }
        flow.trigger().settle();

        assertThat(flow.tables.master()).isEqualTo("PARTIAL 3 = 2 + 1");
        assertThat(flow.tables.details()).hasSize(1);
        assertTexts(flow.tables.details().values().iterator().next(), "record_key", "id=1", "line_content", "{\"id\":1}");
    }

    // Batches and units

    @Test
    void anEmptyFileIsASuccessWithZeroCounts() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("", original("u", 0)).trigger().settle();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 0 = 0 + 0");
    }

    @Test
    void aSplitWithoutACountCountsWhatComes() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("header", with(item("u", 1, 1), "fragment.count", null)).trigger().settle();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 1 = 1 + 0");
    }

    @Test
    void aSplitOfASplitIsAUnitForEachChunk() {
        final LoadLogFlow flow = new LoadLogFlow();
        for (final String chunk : List.of("c1", "c2")) {
            flow.enqueue("chunk", original(chunk, 2));
            flow.enqueue("1", item(chunk, 1, 2)).enqueue("2", item(chunk, 2, 2, failed("PutKudu", chunk)));
        }
        flow.trigger().settle();

        assertThat(flow.tables.master()).isEqualTo("PARTIAL 4 = 2 + 2");
        assertThat(flow.tables.details().values()).extracting(row -> row.get("error_message").textValue())
                .containsExactlyInAnyOrder("c1", "c2");
        assertThat(flow.tables.details()).containsKey(2).hasSize(2);
    }

    @Test
    void twoFilesInOneSecondShareABatchAndNoDetailSeq() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("1", item("a", 1, 2)).enqueue("2", item("a", 2, 2, failed("PutKudu", "a")));
        flow.enqueue("1", with(item("b", 1, 2), "filename", "b.log"));
        flow.enqueue("2", with(item("b", 2, 2, failed("PutKudu", "b")), "filename", "b.log")).trigger().settle();

        assertThat(flow.tables.master()).isEqualTo("PARTIAL 4 = 2 + 2");
        assertThat(flow.tables.details()).hasSize(2);
        assertThat(flow.tables.details().values()).extracting(row -> row.get("file_name").textValue())
                .containsExactlyInAnyOrder("a.log", "b.log");
    }

    @Test
    void theSameFileTwiceInOneSecondIsCountedTwice() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueueItems("first", 3).enqueueItems("second", 3).trigger().settle();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 6 = 6 + 0");
    }

    @Test
    void aFileWhoseItemsStraddleMidnightStaysInOneBatch() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("1", with(item("u", 1, 3), "base_dts", "20260225235959"));
        flow.enqueue("2", with(item("u", 2, 3), "base_dts", "20260226000000"));
        flow.enqueue("3", with(item("u", 3, 3, failed("PutKudu", "x")), "base_dts", "20260226000001")).trigger().settle();

        assertThat(flow.tables.batches()).isEqualTo(1);
        assertThat(flow.tables.master("20260225235959")).isEqualTo("PARTIAL 3 = 2 + 1");
        assertTexts(flow.tables.detail(3), "base_dts", "20260225235959", "base_dt", "20260225");
    }

    @Test
    void aBatchOfDeclaredUnitsIsFinalAtOnce() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("1", item("a", 1, 1, "load.units", "2")).trigger();
        flow.after(Duration.ofMinutes(30));
        assertThat(flow.tables.master()).startsWith("RUNNING");

        flow.enqueue("1", item("b", 1, 1, "load.units", "2")).trigger();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 2 = 2 + 0");
    }

    @Test
    void aLateUnitOpensItsBatchAgain() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueueItems("a", 2).trigger().settle();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 2 = 2 + 0");

        flow.enqueueItems("b", 1).trigger();
        assertThat(flow.tables.master()).isEqualTo("RUNNING 3 = 3 + 0");
        flow.settle();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 3 = 3 + 0");
    }

    @Test
    void aBatchThatWentSilentIsClosedAndItsMissingItemsAreNamed() {
        final LoadLogFlow flow = new LoadLogFlow("Batch Timeout", "10 min");
        flow.enqueue("all", original("u", 3)).enqueue("2", item("u", 2, 3)).trigger().after(Duration.ofMinutes(10));

        assertThat(flow.tables.master()).isEqualTo("PARTIAL 3 = 1 + 2");
        assertThat(flow.tables.details()).containsOnlyKeys(1, 3);
        assertThat(flow.tables.detail(1).get("error_message").textValue()).contains("item 1").contains("600 s");

        flow.enqueue("1", item("u", 1, 3)).enqueue("3", item("u", 3, 3)).trigger();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 3 = 3 + 0");
        assertThat(flow.tables.details().values()).allSatisfy(row -> assertTexts(row, "status", "SUCCESS"));
    }

    @Test
    void whatComesAfterANightOfSilenceIsCountedInItsBatch() {
        final LoadLogFlow flow = new LoadLogFlow("Batch Timeout", "1 hour").now();
        flow.enqueue("all", original("u", 3)).enqueue("2", item("u", 2, 3)).trigger();
        flow.after(Duration.ofHours(1)).after(Duration.ofHours(8)).after(Duration.ofDays(3));
        assertThat(flow.tables.master()).isEqualTo("PARTIAL 3 = 1 + 2");

        flow.enqueue("1", item("u", 1, 3)).trigger();
        assertThat(flow.tables.master()).isEqualTo("PARTIAL 3 = 2 + 1");
        flow.enqueue("3", item("u", 3, 3)).trigger();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 3 = 3 + 0");
        assertThat(flow.refused).isEmpty();
    }

    @Test
    void whatComesForABatchThatHasEndedIsRefusedAndItsRecordStands() {
        final LoadLogFlow flow = new LoadLogFlow().now();
        flow.enqueueItems("u", 3).trigger().settle().after(Duration.ofMinutes(11)).after(Duration.ofDays(1));
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 3 = 3 + 0");

        flow.enqueue("2", item("u", 2, 3)).enqueue("1", item("u", 1, 3, failed("PutKudu", "late"))).trigger().settle();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 3 = 3 + 0");
        assertThat(flow.tables.details()).isEmpty();
        assertThat(flow.refused).hasSize(2).allSatisfy(file -> assertThat(file.getAttribute("load.refused"))
                .contains("NAS R01 bronze.nas_copilot_call " + LoadLogFlow.BASE_DTS, "its record in load_log_master stands",
                        "a replay counts it", "a base_dts of its own"));
    }

    @Test
    void aFileThatWaitedForTheSinkJoinsItsBatch() {
        final LoadLogFlow flow = new LoadLogFlow().now();
        flow.enqueueItems("u", 3).trigger().settle().after(Duration.ofMinutes(11)).after(Duration.ofHours(8));
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 3 = 3 + 0");

        flow.enqueueItems("v", 2).enqueueItems("u", 3).trigger().settle();
        assertThat(flow.refused).isEmpty();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 5 = 5 + 0");
    }

    @Test
    void aBatchThatIsRunAgainAfterItsEndBeginsAnew() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueueItems("u", 3).trigger().settle().after(Duration.ofMinutes(11));
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 3 = 3 + 0");

        // The clock of these tests is in the past, so that NiFi gets these after the batch has ended.
        flow.enqueueItems("v", 2).trigger().settle();
        assertThat(flow.refused).isEmpty();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 2 = 2 + 0");
    }

    @Test
    void aFragmentOfManyRowsWithoutTheirNumberIsRefused() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("x", item("u", 1, 2, "record.count", "1000")).trigger();
        assertThat(flow.tables.batches()).isZero();
        assertThat(flow.refused.get(0).getAttribute("load.refused")).contains("1000 rows", "set load.count");

        flow.enqueue("x", item("u", 1, 2, "record.count", "1000", "load.count", "1000")).trigger().settle();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 1000 = 1000 + 0");
    }

    @Test
    void aFailureThatIsSentBackAndLoadsIsNoFailureAnyMore() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("1", item("u", 1, 1, failed("PutKudu", "down"))).trigger().settle();
        assertThat(flow.tables.master()).isEqualTo("FAIL 1 = 0 + 1");

        flow.enqueue("1", item("u", 1, 1)).trigger().settle();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 1 = 1 + 0");
        assertTexts(flow.tables.detail(1), "status", "SUCCESS");

        flow.enqueue("1", item("u", 1, 1, failed("PutKudu", "late"))).trigger().settle();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 1 = 1 + 0");
        assertTexts(flow.tables.detail(1), "status", "SUCCESS");
    }

    @Test
    void loadedItemsGetARowWhenAskedFor() {
        final LoadLogFlow flow = new LoadLogFlow("Log Loaded Items", "true");
        flow.enqueueItems("u", 3).trigger();
        assertThat(flow.tables.details()).containsOnlyKeys(1, 2, 3);
        assertThat(flow.tables.details().values()).allSatisfy(row -> assertTexts(row, "status", "SUCCESS"));
        assertThat(flow.tables.detail(1).get("line_content").isNull()).isTrue();
    }

    @Test
    void manyBatchesGoThroughOneProcessor() {
        final LoadLogFlow flow = new LoadLogFlow("Batch Size", "7");
        for (int batch = 10; batch < 60; batch++) {
            flow.enqueue("1", with(item("u" + batch, 1, 2), "base_dts", "202602251430" + batch));
            flow.enqueue("2", with(item("u" + batch, 2, 2, batch % 2 == 0 ? failed("PutKudu", "x") : failed("", "")),
                    "base_dts", "202602251430" + batch));
        }
        while (flow.runner.getQueueSize().getObjectCount() > 0) {
            flow.trigger();
        }
        flow.settle();

        assertThat(flow.tables.batches()).isEqualTo(50);
        for (int batch = 10; batch < 60; batch++) {
            assertThat(flow.tables.master("202602251430" + batch))
                    .isEqualTo(batch % 2 == 0 ? "PARTIAL 2 = 1 + 1" : "SUCCESS 2 = 2 + 0");
        }
        flow.close();
    }

    // Content

    @Test
    void aLongErrorMessageIsCutAtACharacter() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("x", item("u", 1, 1, failed("PutKudu", KOREAN.repeat(40_000)))).trigger();

        final String message = flow.tables.detail(1).get("error_message").textValue();
        assertThat(message).isEqualTo(KOREAN.repeat(65_536 / 3));
    }

    @ParameterizedTest
    @CsvSource({"65535,true", "65536,true", "65537,false", "65538,false", "300000,false"})
    void aLineIsKeptWholeOrNotAtAll(final int bytes, final boolean kept) {
        final String line = KOREAN.repeat(bytes / 3) + "x".repeat(bytes % 3);
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue(line, item("u", 7, 9, failed("PutKudu", "x"))).trigger();

        final JsonNode detail = flow.tables.detail(7);
        assertThat(detail.get("line_content").textValue()).isEqualTo(kept ? line : null);
        assertThat(detail.get("record_key").textValue()).isEqualTo(kept ? null : "7");
    }

    @Test
    void rareCharactersOfALineAreKept() {
        final String line = "a\0b\"c\\d\r\n\uFEFF\uD83D\uDE00" + KOREAN;
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue(line, item("u", 1, 1, failed("PutKudu", "e\0\uD83D\uDE00"))).trigger();
        assertTexts(flow.tables.detail(1), "line_content", line, "error_message", "e\0\uD83D\uDE00");
    }

    @Test
    void aLineInAnotherEncodingIsKeptAsText() {
        final LoadLogFlow flow = new LoadLogFlow("Character Set", "EUC-KR");
        flow.runner.enqueue("한글".getBytes(Charset.forName("EUC-KR")), item("u", 1, 1, failed("PutKudu", "x")));
        flow.trigger();
        assertTexts(flow.tables.detail(1), "line_content", "한글");
    }

    @Test
    void bytesThatAreNoTextAreNotKept() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.runner.enqueue(new byte[] {'a', (byte) 0xff}, item("u", 1, 1, failed("PutKudu", "x")));
        flow.trigger();
        assertThat(flow.tables.detail(1).get("line_content").isNull()).isTrue();
        assertTexts(flow.tables.detail(1), "record_key", "1");
    }

    @Test
    void aLineCanComeFromAnAttributeOrNotAtAll() {
        final Map<String, String> failed = item("u", 1, 1, with(Map.of("line", "raw"), failed("PutKudu", "x")));
        final LoadLogFlow attribute = new LoadLogFlow("Line Content", "Attribute", "Line Content Attribute", "line");
        attribute.enqueue("json", failed).trigger();
        assertTexts(attribute.tables.detail(1), "line_content", "raw");

        final LoadLogFlow none = new LoadLogFlow("Line Content", "None");
        none.enqueue("json", failed).trigger();
        assertThat(none.tables.detail(1).get("line_content").isNull()).isTrue();
    }

    // What goes on

    @Test
    void theIncomingFlowFileGoesOnUnchanged() {
        final LoadLogFlow flow = new LoadLogFlow();
        final Map<String, String> attributes = item("u", 1, 1, failed("PutKudu", "x"));
        flow.enqueue("the line", attributes).trigger();

        final MockFlowFile after = flow.logged.get(0);
        assertThat(after.getContent()).isEqualTo("the line");
        final Map<String, String> others = new HashMap<>(after.getAttributes());
        others.keySet().removeAll(List.of("uuid", "path"));
        assertThat(others).isEqualTo(attributes);
    }

    @Test
    void recordsInheritNothingOfTheItemsTheyAreAbout() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("x", item("u", 1, 1, failed("PutKudu", "x")));
        flow.runner.run(1, false);
        for (final String relationship : List.of("master", "detail")) {
            final MockFlowFile records = flow.runner.getFlowFilesForRelationship(relationship).get(0);
            final Set<String> names = new HashSet<>(records.getAttributes().keySet());
            assertThat(names.remove("load.attempt")).isEqualTo(relationship.equals("master"));
            assertThat(names).containsExactlyInAnyOrder("uuid", "filename", "path", "record.count", "mime.type");
            assertThat(records.getAttribute("filename")).startsWith("load_log_" + relationship).endsWith(".ndjson");
        }
    }

    @Test
    void oneTriggerIsOneFlowFileOfRecordsATable() {
        final LoadLogFlow flow = new LoadLogFlow("Batch Size", "10");
        IntStream.rangeClosed(1, 20).forEach(i -> flow.enqueue("x", item("u", i, 20, failed("PutKudu", "x"))));
        flow.runner.run(1, false);
        assertThat(flow.runner.getQueueSize().getObjectCount()).isEqualTo(10);
        flow.runner.assertTransferCount("master", 1);
        flow.runner.assertTransferCount("detail", 1);
        assertThat(LoadLogTables.records(flow.runner.getFlowFilesForRelationship("detail").get(0))).hasSize(10);
        assertThat(flow.runner.getCounterValue("Events Logged")).isEqualTo(10);
        assertThat(flow.runner.getCounterValue("Detail Records")).isEqualTo(10);
        assertThat(flow.runner.getCounterValue("Master Records")).isEqualTo(1);
    }

    @Test
    void eventsThatFillManyCallsAreOneChangeOfTheState() {
        final String line = "x".repeat(60_000);
        final LoadLogFlow flow = new LoadLogFlow();
        IntStream.rangeClosed(1, 200).forEach(i -> flow.enqueue(line, item("u", i, 200, failed("PutKudu", "x"))));
        flow.runner.run(1, false);

        flow.runner.assertTransferCount("detail", 1);
        flow.drain();
        assertThat(flow.tables.details()).hasSize(200);
        assertThat(flow.tables.master()).isEqualTo("RUNNING 200 = 0 + 200");
    }

    @Test
    void rejectsThatFillManyCallsAreAllLogged() {
        final String line = "{\"row_index\":%d,\"error_message\":\"x\",\"line_content\":\"" + "y".repeat(60_000) + "\"}\n";
        final StringBuilder rejects = new StringBuilder();
        IntStream.rangeClosed(1, 200).forEach(row -> rejects.append(line.formatted(row)));
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue(rejects + "{", nas("rejects.count", "201", "error_processor", "ComputeRowHash")).trigger();

        assertThat(flow.refused).hasSize(1);
        assertThat(flow.refused.get(0).getAttribute("load.refused")).contains("Line 201");
        assertThat(flow.tables.master()).isEqualTo("RUNNING 200 = 0 + 200");
        assertThat(flow.tables.details()).hasSize(200);
    }

    @Test
    void theRightFlowFileIsRefusedInALaterCallToo() {
        final String line = "x".repeat(60_000);
        final LoadLogFlow flow = new LoadLogFlow();
        IntStream.rangeClosed(1, 100).forEach(i -> flow.enqueue(line, item("u", i, 100, failed("PutKudu", "x"))));
        flow.enqueue(line, item("u", 7, 100, "error_processor", "PutKudu", "fragment.count", "many")).trigger();

        assertThat(flow.refused).hasSize(1);
        flow.refused.get(0).assertAttributeEquals("fragment.count", "many");
        assertThat(flow.tables.details()).hasSize(100);
    }

    @ParameterizedTest
    @CsvSource({"src_type,FTP,must be DB", "regn,,regn is empty", "db_name,,db_name is empty", "table_name,,table_name",
            "base_dts,2026,yyyyMMddHHmmss", "fragment.index,one,fragment.index is 'one'", "fragment.count,-1,fragment.count",
            "load.outcome,done,outcome is 'done'"})
    void aFlowFileThatIsNoEventGoesToFailureAndSaysWhy(final String attribute, final String value, final String reason) {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("bad", with(item("u", 1, 2, failed("PutKudu", "kept")), attribute, value));
        flow.enqueue("good", item("u", 2, 2)).trigger();

        assertThat(flow.refused).hasSize(1);
        final MockFlowFile refused = flow.refused.get(0);
        assertThat(refused.getAttribute("load.refused")).contains(reason);
        refused.assertAttributeEquals("error_message", "kept");
        refused.assertAttributeEquals("error_processor", "PutKudu");
        refused.assertContentEquals("bad");
        assertThat(flow.logged).hasSize(1);
        assertThat(flow.tables.master()).isEqualTo("RUNNING 2 = 1 + 0");
        assertThat(flow.runner.getCounterValue("FlowFiles Refused")).isEqualTo(1);
        assertThat(flow.runner.getLogger().getWarnMessages()).hasSize(1).first()
                .satisfies(line -> assertThat(text(line)).contains("1 of 2 FlowFiles", reason));
    }

    @Test
    void aRefusedFlowFileThatIsSentBackIsLoggedAsWhatItIs() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("x", item("u", 1, 1, with(Map.of("load.refused", "no region"), failed("PutKudu", "x")))).trigger();
        flow.logged.get(0).assertAttributeNotExists("load.refused");
        assertTexts(flow.tables.detail(1), "error_message", "x", "error_processor", "PutKudu");
    }

    @Test
    void withoutFlowFilesTimeAloneIsLookedAtOnceAYield() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.trigger();
        assertThat(((MockProcessContext) flow.runner.getProcessContext()).isYieldCalled()).isTrue();
        assertThat(flow.state()).containsOnlyKeys("ledger.parts");
        flow.runner.assertTransferCount("master", 0);
    }

    @Test
    void aMillionLinesAreASmallState() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue("all", original("u", 1_000_000)).enqueueItems("u", 1000).trigger();
        final Random random = new Random(1);
        for (int i = 0; i < 2000; i++) {
            final int index = 1 + random.nextInt(1_000_000);
            flow.enqueue("x", item("u", index, 1_000_000));
        }
        flow.trigger().trigger();
        assertThat(flow.state().values().stream().mapToInt(String::length).sum()).isLessThan(20_000);
        assertThat(flow.tables.master()).startsWith("RUNNING 1000000 = ");
    }

    // Helpers

    private static Map<String, String> kafka(final int partition, final long offset, final String... attributes) {
        return with(nas("src_type", "KAFKA", "kafka.topic", "calls", "kafka.partition", Integer.toString(partition),
                "kafka.offset", Long.toString(offset), "kafka_category", "copilot", "kafka_svc", "call", "absolute.path", null,
                "filename", "1f3a"), attributes);
    }

    private static Map<String, String> db(final String... attributes) {
        return with(nas("src_type", "DB", "absolute.path", null, "filename", "1f3a"), attributes);
    }

    private static void assertTexts(final JsonNode record, final String... columns) {
        for (int i = 0; i < columns.length; i += 2) {
            assertThat(record.get(columns[i]).textValue()).as(columns[i]).isEqualTo(columns[i + 1]);
        }
    }

    private static List<String> problems(final TestRunner runner) {
        return ((MockProcessContext) runner.getProcessContext()).validate().stream()
                .filter(result -> !result.isValid()).map(ValidationResult::toString).toList();
    }

    private static String text(final LogMessage line) {
        return line.getMsg() + " " + List.of(line.getArgs());
    }
}
