package dev.rowhash.nifi.kudu;

import static dev.rowhash.nifi.kudu.Rows.row;
import static dev.rowhash.nifi.kudu.Table.cell;
import static dev.rowhash.nifi.kudu.Table.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowhash.runtime.Await;
import dev.rowhash.runtime.KuduServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.kudu.ColumnSchema.ColumnSchemaBuilder;
import org.apache.kudu.Schema;
import org.apache.kudu.Type;
import org.apache.kudu.client.AlterTableOptions;
import org.apache.kudu.client.CreateTableOptions;
import org.apache.kudu.client.FailingRpcs;
import org.apache.kudu.client.PartialRow;
import org.apache.kudu.client.Status;
import org.apache.nifi.provenance.ProvenanceEventType;
import org.apache.nifi.serialization.record.RecordField;
import org.apache.nifi.serialization.record.RecordFieldType;
import org.apache.nifi.util.MockFlowFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written into a real Kudu, what is refused, and where the FlowFiles go. */
class UpsertKuduTest {

    private static final int CELL_LIMIT = 65_536;
    private static final int KEY_LIMIT = 16_384;

    private static KuduServer kudu;

    @BeforeAll
    static void start() {
        kudu = KuduServer.start();
    }

    @AfterAll
    static void stop() {
        if (kudu != null) {
            kudu.close();
        }
    }

    private static Table table() {
        return Table.create(kudu, key("id", Type.STRING), cell("text", Type.STRING), cell("number", Type.INT32));
    }

    private static Sink sink(final Table table) {
        return new Sink(kudu, table.name());
    }

    @Test
    void ofAThousandRowsTheSevenBadOnesFailEachWithItsOwnReason() {
        final Table table = Table.create(kudu, key("id", Type.STRING), cell("text", Type.STRING), cell("number", Type.INT32),
                cell("at", Type.UNIXTIME_MICROS), Table.decimal("price", 5, 2));
        final List<Map<String, Object>> rows = new ArrayList<>();
        IntStream.rangeClosed(1, 1000).forEach(i -> rows.add(row("id", "row " + i, "text", "가나다 " + i, "number", i)));
        final Map<Integer, String> bad = new TreeMap<>();
        rows.set(10, row("id", null, "text", "x"));
        bad.put(11, "id has no value, but is a column of the primary key");
        rows.set(111, row("id", "row 112", "txet", "x"));
        bad.put(112, "has no column for the field txet");
        rows.set(222, row("id", "row 223", "number", 3_000_000_000L));
        bad.put(223, "number is 3000000000: the column is INT32");
        rows.set(333, row("id", "row 334", "text", "a".repeat(CELL_LIMIT + 1)));
        bad.put(334, "value too large for column 'text' (65537 bytes, maximum is 65536 bytes)");
        rows.set(444, row("id", "b".repeat(KEY_LIMIT + 1)));
        bad.put(445, "encoded primary key too large (16385 bytes, maximum is 16384 bytes)");
        rows.set(555, row("id", "row 556", "at", "2026-02-30 11:11:11"));
        bad.put(556, "at is '2026-02-30 11:11:11': it is no timestamp");
        rows.set(999, row("id", "row 1000", "price", "12.345"));
        bad.put(1000, "price is '12.345': the column is DECIMAL(5, 2)");

        final Sink sink = sink(table).enqueue(rows, Map.of("filename", "a.log", "load.count", "1000")).trigger();

        assertThat(table.rows()).hasSize(993).extracting(row -> row.get("id")).doesNotContainNull()
                .doesNotContain("row 112", "row 223", "row 334", "row 556", "row 1000");
        final MockFlowFile failed = sink.failure().get(0);
        final List<TreeMap<String, Object>> rejects = Sink.rejects(failed);
        assertThat(rejects).extracting(reject -> reject.get("row_index")).containsExactlyElementsOf(bad.keySet());
        for (final TreeMap<String, Object> reject : rejects) {
            final int number = (Integer) reject.get("row_index");
            assertThat((String) reject.get("error_message")).contains(bad.get(number));
            final Map<String, Object> content = Sink.object((String) reject.get("line_content"));
            content.values().removeIf(value -> value == null);
            final Map<String, Object> expected = new TreeMap<>(rows.get(number - 1));
            expected.values().removeIf(value -> value == null);
            assertThat(content).as("row " + number).isEqualTo(expected);
        }
        failed.assertAttributeEquals("rejects.count", "7");
        failed.assertAttributeEquals("record.count", "7");
        failed.assertAttributeEquals("error_processor", sink.runner().getProcessContext().getName());
        failed.assertAttributeEquals("load.count", "1000");
        assertThat(failed.getAttribute("error_message")).startsWith("7 of 1000 rows are refused; the first, row 11: id has no value");
        final MockFlowFile loaded = sink.success().get(0);
        loaded.assertAttributeEquals("record.count", "993");
        loaded.assertAttributeEquals("rejects.count", "7");
        loaded.assertAttributeNotExists("error_message");
        assertThat(sink.runner().getCounterValue("Rows Loaded")).isEqualTo(993);
        assertThat(sink.runner().getCounterValue("Rows Refused")).isEqualTo(7);
        assertThat(sink.runner().getProvenanceEvents()).anySatisfy(event -> {
            assertThat(event.getEventType()).isEqualTo(ProvenanceEventType.SEND);
            assertThat(event.getTransitUri()).isEqualTo("kudu://" + kudu.masters() + "/" + table.name());
            assertThat(event.getDetails()).isEqualTo("993 rows loaded, 7 refused");
        });
        sink.stop();
    }

    @Test
    void moreRefusedRowsThanTheClientCollectsErrorsAreAllNamed() {
        final Table table = table();
        final int count = 2500;
        final List<Map<String, Object>> rows = IntStream.range(0, count).mapToObj(i -> row("id", "row " + i)).toList();
        final Sink sink = sink(table).set("Kudu Operation Type", "INSERT").enqueue(rows, Map.of()).trigger();
        sink.clear();
        final List<Map<String, Object>> again = new ArrayList<>(rows);
        again.add(700, row("id", "new"));

        sink.enqueue(again, Map.of()).trigger();

        final MockFlowFile failed = sink.failure().get(0);
        assertThat(Sink.rejects(failed)).hasSize(count).extracting(reject -> reject.get("row_index"))
                .containsExactlyElementsOf(IntStream.rangeClosed(1, count + 1).filter(i -> i != 701).boxed().toList());
        assertThat(Sink.rejects(failed)).allSatisfy(reject ->
                assertThat((String) reject.get("error_message")).contains("Already present"));
        sink.success().get(0).assertAttributeEquals("record.count", "1");
        sink.stop();
    }

    @Test
    void aSingleRowThatIsRefusedStaysAsItIs() {
        final Sink sink = sink(table()).enqueue(List.of(row("id", null, "text", "x")), Map.of("fragment.index", "4")).trigger();

        assertThat(sink.success()).isEmpty();
        final MockFlowFile failed = sink.failure().get(0);
        failed.assertContentEquals("rows-0");
        failed.assertAttributeEquals("fragment.index", "4");
        assertThat(failed.getAttribute("error_message")).contains("id has no value");
        failed.assertAttributeNotExists("rejects.count");
        sink.stop();
    }

    @Test
    void aSingleRowOfAUnitOfRowsIsRefusedAsARow() {
        final Sink sink = sink(table()).enqueue(List.of(row("id", null, "text", "x")), Map.of("load.count", "1")).trigger();

        assertThat(sink.success()).isEmpty();
        sink.failure().get(0).assertAttributeEquals("rejects.count", "1");
        assertThat(Sink.rejects(sink.failure().get(0)).get(0)).containsEntry("row_index", 1);
        sink.stop();
    }

    @Test
    void whereAllRowsAreRefusedNothingIsASuccess() {
        final Sink sink = sink(table()).enqueue(row("id", null, "text", "x"), row("id", null, "text", "y")).trigger();

        assertThat(sink.success()).isEmpty();
        assertThat(Sink.rejects(sink.failure().get(0))).hasSize(2);
        sink.stop();
    }

    @Test
    void rowsThatWereRefusedBeforeAreCountedToo() {
        final Sink sink = sink(table()).enqueue(List.of(row("id", "a"), row("id", null)),
                Map.of("rejects.count", "3", "load.count", "5")).trigger();

        sink.success().get(0).assertAttributeEquals("record.count", "1");
        sink.success().get(0).assertAttributeEquals("rejects.count", "4");
        sink.failure().get(0).assertAttributeEquals("rejects.count", "1");
        sink.stop();
    }

    @Test
    void aRowWhoseNumberIsLostIsNotTakenForOneThatWasRefusedBefore() {
        final Sink sink = sink(table()).enqueue(List.of(row("id", "a"), row("id", null)),
                Map.of("rejects.count", "3", "load.count", "5")).trigger();

        assertThat(Sink.rejects(sink.failure().get(0))).extracting(reject -> reject.get("row_index")).containsExactly(7);
        sink.stop();
    }

    @Test
    void rowsWhoseNumbersCannotBeToldFailWithTheirFile() {
        final Sink sink = sink(table()).enqueue(List.of(row("id", "a"), row("id", null)), Map.of("rejects.count", "3")).trigger();

        assertThat(sink.success()).isEmpty();
        assertThat(sink.failure()).hasSize(1);
        sink.failure().get(0).assertAttributeEquals("rejects.count", "3");
        assertThat(sink.failure().get(0).getAttribute("error_message")).contains("Set load.count", "id");
        sink.stop();
    }

    @Test
    void aFlowFileWithoutRowsIsASuccess() {
        final Sink sink = sink(table()).enqueue(List.of(), Map.of()).trigger();

        sink.success().get(0).assertAttributeEquals("record.count", "0");
        sink.stop();
    }

    @Test
    void whatFailedHereBeforeAndIsLoadedIsNoFailureAnyMore() {
        final Sink sink = sink(table());
        final String name = sink.runner().getProcessContext().getName();

        sink.enqueue(List.of(row("id", "a")), Map.of("error_processor", name, "error_message", "old"))
                .enqueue(List.of(row("id", "b")), Map.of("error_processor", "Another", "error_message", "old")).trigger();

        sink.success().get(0).assertAttributeNotExists("error_processor");
        sink.success().get(0).assertAttributeNotExists("error_message");
        sink.success().get(1).assertAttributeEquals("error_processor", "Another");
        sink.stop();
    }

    @Test
    void aMissingKeyColumnIsNamedBeforeAnythingIsWritten() {
        final Table table = Table.create(kudu, key("id", Type.STRING), key("row_hash", Type.STRING), cell("text", Type.STRING));
        final Sink sink = sink(table).enqueue(row("id", "a", "row_hsh", "x"), row("id", "b", "text", "x")).trigger();

        assertThat(sink.success()).isEmpty();
        final MockFlowFile failed = sink.failure().get(0);
        failed.assertContentEquals("rows-0");
        assertThat(failed.getAttribute("error_message")).contains("no field for row_hash", "Fields without a column: row_hsh",
                "nothing is written");
        assertThat(table.rows()).isEmpty();
        sink.stop();
    }

    @Test
    void aRequiredColumnThatIsNoKeyIsNamedToo() {
        final Table table = Table.create(kudu, key("id", Type.STRING), new ColumnSchemaBuilder("kind", Type.STRING),
                new ColumnSchemaBuilder("state", Type.STRING).defaultValue("new"));
        final Sink sink = sink(table).enqueue(row("id", "a")).enqueue(row("id", "b", "kind", "x")).trigger();

        assertThat(sink.failure().get(0).getAttribute("error_message")).contains("no field for kind,");
        assertThat(table.rows()).containsExactly(row("id", "b", "kind", "x", "state", "new"));
        sink.stop();
    }

    @Test
    void unknownFieldsAreIgnoredWhereTheUserSaysSo() {
        final Table table = table();
        final Sink sink = sink(table).set("Unknown Fields", "Ignore").enqueue(row("id", "a", "other", "x")).trigger();

        assertThat(sink.failure()).isEmpty();
        assertThat(table.rows()).containsExactly(row("id", "a", "text", null, "number", null));
        sink.stop();
    }

    @Test
    void aFieldThatTheReadersSchemaDoesNotNameIsNoLessUnknown() {
        final Table table = table();
        final Sink sink = sink(table);
        sink.reader().setSchema(new RecordField("id", RecordFieldType.STRING.getDataType()),
                new RecordField("text", RecordFieldType.STRING.getDataType(), null, Set.of("alias")));

        sink.enqueue(row("id", "a", "alias", "x"), row("id", "b", "txet", "y"), row("id", "c", "number", 1), row("id", "d", "txet", null))
                .trigger();

        assertThat(table.column("text", "id")).containsOnlyKeys("a", "d").containsEntry("a", "x");
        assertThat(Sink.rejects(sink.failure().get(0))).satisfiesExactly(
                reject -> assertThat((String) reject.get("error_message")).contains("schema does not name the field txet"),
                reject -> assertThat((String) reject.get("error_message")).contains("schema does not name the field number"));
        assertThat(Sink.object((String) Sink.rejects(sink.failure().get(0)).get(0).get("line_content")))
                .isEqualTo(row("id", "b", "text", null, "txet", "y"));
        sink.stop();
    }

    @Test
    void aFieldThatTheReadersSchemaDoesNotNameIsLeftOutOnRequest() {
        final Table table = table();
        final Sink sink = sink(table).set("Unknown Fields", "Ignore");
        sink.reader().setSchema(new RecordField("id", RecordFieldType.STRING.getDataType()));

        sink.enqueue(row("id", "a", "txet", "y")).trigger();

        assertThat(sink.failure()).isEmpty();
        assertThat(table.column("text", "id")).containsOnlyKeys("a");
        sink.stop();
    }

    @Test
    void anUnknownFieldWithoutAValueIsNoMistake() {
        final Table table = table();
        final Sink sink = sink(table).enqueue(row("id", "a", "other", null), row("id", "b", "other", "x")).trigger();

        assertThat(table.column("text", "id")).containsOnlyKeys("a");
        assertThat(sink.failure()).hasSize(1);
        sink.stop();
    }

    @Test
    void fieldNamesAreLoweredOnRequestAndTwoFieldsForAColumnAreAMistake() {
        final Table table = table();
        final Sink sink = sink(table).set("Lowercase Field Names", "true")
                .enqueue(row("ID", "a", "Text", "x")).enqueue(row("ID", "b", "id", "c")).trigger();

        assertThat(table.column("text", "id")).isEqualTo(Map.of("a", "x"));
        assertThat(sink.failure().get(0).getAttribute("error_message")).contains("The fields ID and id both are the column id");
        sink.stop();
    }

    @Test
    void upperAndLowerCaseDifferOtherwise() {
        final Sink sink = sink(table()).enqueue(row("ID", "a")).trigger();

        assertThat(sink.failure().get(0).getAttribute("error_message")).contains("no field for id", "without a column: ID");
        sink.stop();
    }

    @Test
    void aNullOverwritesUnlessItIsIgnored() {
        final Table table = table();
        sink(table).enqueue(row("id", "a", "text", "x", "number", 1), row("id", "b", "text", "x", "number", 1)).trigger().stop();

        sink(table).enqueue(row("id", "a", "text", null)).trigger().stop();
        sink(table).set("Ignore NULL", "true").enqueue(row("id", "b", "text", null, "number", 2)).trigger().stop();

        assertThat(table.rows()).containsExactlyInAnyOrder(row("id", "a", "text", null, "number", 1),
                row("id", "b", "text", "x", "number", 2));
    }

    @Test
    void theRowsOfAKeyKeepTheirOrderInABatchAndAcrossBatchesAndFlowFiles() {
        final Table table = table();
        final Sink sink = sink(table).set("Max Records per Batch", "3");
        for (int file = 0; file < 20; file++) {
            final List<Map<String, Object>> rows = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                rows.add(row("id", "same", "number", file * 10 + i));
            }
            sink.enqueue(rows, Map.of());
        }

        sink.trigger();

        assertThat(table.column("number", "id")).isEqualTo(Map.of("same", 199));
        assertThat(sink.success()).hasSize(20);
        sink.stop();
    }

    @Test
    void oneFlushServesManyFlowFiles() {
        final Table table = table();
        final Sink sink = sink(table);
        IntStream.range(0, 500).forEach(i -> sink.enqueue(row("id", "single " + i)));
        sink.enqueue(row("id", "a"), row("id", "b"));
        IntStream.range(500, 1500).forEach(i -> sink.enqueue(row("id", "single " + i)));
        final int[] sent = {-1};
        // At the end of the one FlowFile that has two rows.
        sink.at(2, () -> sent[0] = table.rows().size());

        sink.set("FlowFiles per Batch", "2000").trigger();

        assertThat(sent[0]).as("rows that were sent before the batch was full").isZero();
        assertThat(table.rows()).hasSize(1502);
        assertThat(sink.success()).hasSize(1501);
        sink.stop();
    }

    @Test
    void theOperationComesFromAnAttribute() {
        final Table table = table();
        final Sink sink = sink(table).set("Kudu Operation Type", "${operation}");
        sink.enqueue(List.of(row("id", "a", "number", 1)), Map.of("operation", "INSERT"))
                .enqueue(List.of(row("id", "a", "number", 2)), Map.of("operation", "insert"))
                .enqueue(List.of(row("id", "a", "number", 3)), Map.of("operation", "INSERT_IGNORE"))
                .enqueue(List.of(row("id", "b", "number", 4)), Map.of("operation", "UPDATE"))
                .enqueue(List.of(row("id", "b", "number", 4)), Map.of("operation", "UPDATE_IGNORE"))
                .enqueue(List.of(row("id", "c", "number", 5)), Map.of("operation", "UPSERT"))
                .enqueue(List.of(row("id", "c", "number", 6)), Map.of("operation", "DELETE"))
                .enqueue(List.of(row("id", "c")), Map.of("operation", "DELETE"))
                .enqueue(List.of(row("id", "c")), Map.of("operation", "DELETE_IGNORE"))
                .enqueue(List.of(row("id", "d")), Map.of("operation", "MERGE")).trigger();

        assertThat(table.rows()).containsExactly(row("id", "a", "text", null, "number", 1));
        assertThat(sink.success()).hasSize(6);
        assertThat(sink.failure()).extracting(flowFile -> flowFile.getAttribute("error_message"))
                .satisfiesExactlyInAnyOrder(message -> assertThat(message).contains("Already present"),
                        message -> assertThat(message).contains("Not found"),
                        message -> assertThat(message).contains("Not found"),
                        message -> assertThat(message).contains("'MERGE'", "UPSERT, INSERT, INSERT_IGNORE"));
        sink.stop();
    }

    @Test
    void theOperationAndTheRowComeFromTheRecord() {
        final Table table = table();
        final Sink sink = sink(table).set("Operation RecordPath", "/op").set("Data RecordPath", "/data");
        sink.enqueue(row("op", "INSERT", "data", Rows.record(row("id", "a", "number", 1))),
                row("op", "upsert", "data", Rows.record(row("id", "a", "number", 2))),
                row("op", "INSERT", "data", Rows.record(row("id", "b", "number", 3))),
                row("op", "DELETE", "data", Rows.record(row("id", "b"))),
                row("op", "what", "data", Rows.record(row("id", "c"))),
                row("data", Rows.record(row("id", "d"))),
                row("op", "INSERT"),
                row("op", "INSERT", "data", Rows.record(row("number", 1)))).trigger();

        assertThat(table.rows()).containsExactly(row("id", "a", "text", null, "number", 2));
        final List<TreeMap<String, Object>> rejects = Sink.rejects(sink.failure().get(0));
        assertThat(rejects).extracting(reject -> reject.get("row_index")).containsExactly(5, 6, 7, 8);
        assertThat(rejects).extracting(reject -> (String) reject.get("error_message")).satisfiesExactly(
                message -> assertThat(message).contains("Operation RecordPath gives 'what'"),
                message -> assertThat(message).contains("Operation RecordPath gives nothing"),
                message -> assertThat(message).contains("Data RecordPath gives nothing"),
                message -> assertThat(message).contains("no field for id"));
        assertThat(rejects.get(0)).as("the whole record, so that it can be sent here again")
                .containsEntry("line_content", "{\"op\":\"what\",\"data\":{\"id\":\"c\"}}");
        sink.stop();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRowThatCannotBeReadFailsTheFileAndSaysHowFarItCame(final boolean declared) {
        final Table table = table();
        final Map<String, Object> broken = declared ? Rows.UNREADABLE : Rows.BREAKDOWN;
        final Sink sink = sink(table).enqueue(row("id", "a"), row("id", null), broken, row("id", "c"))
                .enqueue(row("id", "d")).trigger();

        final MockFlowFile failed = sink.failure().get(0);
        failed.assertContentEquals("rows-0");
        assertThat(failed.getAttribute("error_message")).contains("Row 3 cannot be read: the content is broken",
                "Of the 2 rows before it 1 are loaded");
        assertThat(sink.failure()).hasSize(1);
        assertThat(table.column("text", "id")).containsOnlyKeys("a", "d");
        sink.stop();
    }

    @Test
    void aContentThatNoReaderCanBeMadeForFailsAloneAndKeepsNothingWaiting() {
        final Table table = table();
        final Sink sink = sink(table);
        sink.runner().enqueue("no rows of this name");
        sink.enqueue(row("id", "a")).trigger();

        assertThat(sink.failure()).singleElement().satisfies(failed ->
                assertThat(failed.getAttribute("error_message")).contains("Row 1 cannot be read"));
        assertThat(table.column("text", "id")).containsOnlyKeys("a");
        sink.stop();
    }

    @Test
    void anExpressionThatCannotBeEvaluatedFailsItsFlowFileAloneAndKeepsNothingWaiting() {
        final Table table = table();
        final Sink sink = new Sink(kudu, table.name() + "${day:toDate('yyyy-MM-dd'):format('yyyy'):substring(4)}");
        sink.enqueue(List.of(row("id", "a")), Map.of("day", "no day")).enqueue(List.of(row("id", "b")), Map.of("day", "2026-03-02"))
                .trigger();

        assertThat(sink.failure()).singleElement().satisfies(failed ->
                assertThat(failed.getAttribute("error_message")).contains("Table Name cannot be evaluated for this FlowFile", "no day"));
        assertThat(table.column("text", "id")).containsOnlyKeys("b");
        sink.stop();
    }

    @Test
    void rowsThatAreTogetherTooLargeForARequestAreSentInSeveral() {
        final Table table = table();
        final int count = 1000;
        final List<Map<String, Object>> rows = IntStream.range(0, count)
                .mapToObj(i -> row("id", "row " + i, "text", "x".repeat(CELL_LIMIT))).toList();

        final Sink sink = sink(table).enqueue(rows, Map.of()).trigger();

        assertThat(sink.failure()).isEmpty();
        sink.success().get(0).assertAttributeEquals("record.count", "1000");
        assertThat(table.rows()).hasSize(count);
        sink.stop();
    }

    @Test
    void rowsThatAreRefusedHereCountTowardABatchAsThoseDoThatAreSent() {
        final Table table = table();
        final Sink sink = sink(table).set("Max Bytes per Batch", "1 MB").set("Max Records per Batch", "100000");
        final List<Map<String, Object>> rows = new ArrayList<>(List.of(row("id", "good")));
        IntStream.range(0, 30).forEach(i -> rows.add(row("id", null, "text", "x".repeat(CELL_LIMIT))));
        final boolean[] sent = new boolean[1];
        sink.at(29, () -> {
            Await.until("the first row to be sent", Duration.ofSeconds(60), () -> !table.rows().isEmpty());
            sent[0] = true;
        });

        sink.enqueue(rows, Map.of()).trigger();

        assertThat(sent[0]).as("sent before all of the file is read").isTrue();
        assertThat(Sink.rejects(sink.failure().get(0))).hasSize(30).extracting(reject -> reject.get("row_index"))
                .containsExactlyElementsOf(IntStream.rangeClosed(2, 31).boxed().toList());
        sink.stop();
    }

    @Test
    void aRowThatIsTooLargeForAnyRequestIsRefused() {
        final Table table = table();
        final Sink sink = sink(table).set("Max Bytes per Batch", "1 MB")
                .enqueue(row("id", "a"), row("id", "b", "text", "x".repeat(2_000_000)), row("id", "c")).trigger();

        assertThat(table.column("text", "id")).containsOnlyKeys("a", "c");
        assertThat((String) Sink.rejects(sink.failure().get(0)).get(0).get("error_message")).contains("more than Max Bytes per Batch");
        sink.stop();
    }

    @Test
    void aRowThatIsTheReasonWhyARequestFailsIsFoundAndTheOthersOfTheRequestAreLoaded() {
        final Table table = table();
        final Sink sink = sink(table).set("Max Records per Batch", "10");
        final List<Map<String, Object>> rows = IntStream.range(0, 30).mapToObj(i -> row("id", "row " + i)).toList();
        // The requests to both tablets fail, and then the first row that is sent alone.
        sink.at(21, () -> {
            Await.until("what is on its way to arrive", Duration.ofSeconds(60), () -> table.rows().size() == 20);
            FailingRpcs.next(3, Status.RemoteError("what is this?"));
        });

        sink.enqueue(rows, Map.of()).trigger();

        assertThat(Sink.rejects(sink.failure().get(0))).singleElement().satisfies(reject ->
                assertThat((String) reject.get("error_message")).contains("Kudu refused the row: Remote error: what is this?"));
        assertThat(table.rows()).hasSize(29);
        sink.success().get(0).assertAttributeEquals("record.count", "29");
        assertThat(sink.queued()).isZero();
        sink.stop();
    }

    @Test
    void aTableThatMayNotBeWrittenGoesToRetryThoughTheServersAreThere() {
        final Table table = table();
        // Of both tablets, so that the client knows where they are.
        final List<Map<String, Object>> rows = IntStream.range(0, 10).mapToObj(i -> row("id", "row " + i)).toList();
        final Sink sink = sink(table).enqueue(rows, Map.of()).trigger();
        sink.clear();
        sink.enqueue(rows, Map.of());
        for (int trigger = 0; trigger < 2; trigger++) {
            sink.at(1, () -> FailingRpcs.next(2, Status.NotAuthorized("not yours")));
            sink.trigger();
        }

        sink.trigger();

        assertThat(sink.retry()).singleElement().satisfies(retried ->
                assertThat(retried.getAttribute("error_message")).contains("cannot be written", "not yours"));
        assertThat(sink.queued()).isZero();
        sink.stop();
    }

    @Test
    void aColumnThatIsAddedWhileTheTableIsOpenIsFound() {
        final Table table = table();
        final Sink sink = sink(table).enqueue(row("id", "a")).trigger();

        table.alter(new AlterTableOptions().addNullableColumn("added", Type.STRING));
        sink.enqueue(row("id", "b", "added", "x")).trigger();

        assertThat(sink.failure()).isEmpty();
        assertThat(table.column("added", "id")).containsEntry("b", "x");
        sink.stop();
    }

    @Test
    void aColumnThatIsDroppedWhileTheTableIsOpenIsNoReasonToFail() {
        final Table table = table();
        final Sink sink = sink(table).enqueue(row("id", "a", "text", "x")).trigger();

        table.alter(new AlterTableOptions().dropColumn("text"));
        sink.enqueue(row("id", "b", "number", 1)).enqueue(row("id", "c", "text", "x")).trigger().trigger();

        assertThat(table.column("number", "id")).containsEntry("b", 1).doesNotContainKey("c");
        assertThat(sink.failure().get(0).getAttribute("error_message")).contains("has no column for the field text");
        assertThat(sink.retry()).isEmpty();
        sink.stop();
    }

    @Test
    void aTableThatIsMadeAnewWhileItIsOpenIsFound() {
        final Table table = table();
        final Sink sink = sink(table).enqueue(row("id", "a")).trigger();

        table.drop();
        table.create(key("id", Type.STRING), cell("note", Type.STRING));
        sink.enqueue(row("id", "b", "note", "x")).trigger().trigger();

        assertThat(table.rows()).containsExactly(row("id", "b", "note", "x"));
        assertThat(sink.failure()).isEmpty();
        assertThat(sink.retry()).isEmpty();
        sink.stop();
    }

    @Test
    void whereATableIsMissingItsFlowFilesAreToBeTriedAgainAndTheOthersAreLoaded() {
        final Table there = table();
        final Table missing = Table.named(kudu, "db.not_yet");
        final Sink sink = new Sink(kudu, "${table}");
        sink.enqueue(List.of(row("id", "a")), Map.of("table", missing.name()))
                .enqueue(List.of(row("id", "b")), Map.of("table", there.name()))
                .enqueue(List.of(row("id", "c")), Map.of()).trigger();

        assertThat(there.column("text", "id")).containsOnlyKeys("b");
        assertThat(sink.retry()).hasSize(1);
        final MockFlowFile retried = sink.retry().get(0);
        retried.assertContentEquals("rows-0");
        assertThat(retried.isPenalized()).isTrue();
        assertThat(retried.getAttribute("error_message")).contains("Kudu has no table db.not_yet: create it");
        assertThat(sink.failure()).singleElement().satisfies(failed ->
                assertThat(failed.getAttribute("error_message")).contains("Table Name is empty"));
        sink.stop();
    }

    @Test
    void aTableThatIsDroppedWhileItIsOpenGoesToRetryAndNothingIsLost() {
        final Table table = table();
        final Sink sink = sink(table).enqueue(row("id", "a")).trigger();
        sink.clear();

        table.drop();
        // A tablet lives on until its server hears of it.
        Await.until("the table's tablets to be gone", Duration.ofSeconds(60), () -> {
            sink.enqueue(row("id", "b"), row("id", "c")).trigger().trigger();
            return !sink.retry().isEmpty();
        });

        assertThat(sink.retry()).singleElement().satisfies(retried ->
                assertThat(retried.getAttribute("error_message")).contains("Kudu has no table"));
        assertThat(sink.failure()).isEmpty();
        assertThat(sink.queued()).isZero();
        sink.stop();
    }

    @Test
    void aRangeThatNoPartitionCoversIsTheRowsOwnFault() throws Exception {
        final Table table = Table.named(kudu, "db.ranges");
        final Schema schema = new Schema(List.of(key("id", Type.INT32).build(),
                cell("text", Type.STRING).build()));
        final PartialRow least = schema.newPartialRow();
        least.addInt("id", 0);
        final PartialRow most = schema.newPartialRow();
        most.addInt("id", 10);
        kudu.client().createTable(table.name(), schema, new CreateTableOptions().setNumReplicas(1)
                .setRangePartitionColumns(List.of("id")).addRangePartition(least, most));

        final Sink sink = sink(table).enqueue(row("id", 1), row("id", 20), row("id", 9)).trigger();

        assertThat(table.column("text", "id")).containsOnlyKeys(1, 9);
        assertThat(Sink.rejects(sink.failure().get(0))).singleElement().satisfies(reject -> {
            assertThat(reject).containsEntry("row_index", 2);
            assertThat((String) reject.get("error_message")).contains("no range partition");
        });
        sink.stop();
    }
}
