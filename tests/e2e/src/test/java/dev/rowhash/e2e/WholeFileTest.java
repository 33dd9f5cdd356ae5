package dev.rowhash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rowhash.e2e.FileFlow.Result;
import dev.rowhash.runtime.Component;
import dev.rowhash.runtime.FlowQueue.FlowFile;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A whole file in one FlowFile, in each mode of ComputeRowHash, into a real Kudu: NiFi 1.18.0 and PutKudu. */
class WholeFileTest {
    @RegisterExtension
    static final RunningNifi NIFI =
            new RunningNifi(() -> NifiServer.of(NifiVersion.V1_18_0).extension(Project.nar()));

    @RegisterExtension
    static final RunningKudu KUDU = new RunningKudu();

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int LINES = 500;

    @Test
    void everyModeWritesTheSameRowsSoThatOneAfterAnotherAddsNone() {
        final List<NasCall> log = SampleLog.calls(7, LINES);
        final String lines = log.stream().map(call -> call.line() + "\n").collect(Collectors.joining());
        final String json = log.stream().map(call -> json(call.byColumn()) + "\n").collect(Collectors.joining());
        final List<StoredCall> expected = log.stream().distinct().map(StoredCall::of).toList();

        final Map<FileFlow, String> contents = new LinkedHashMap<>();
        contents.put(intoKudu(mode("NDJSON Content")), json);
        contents.put(intoKudu(mode("Delimited Content").set("Delimiter", "\\t").set("Quoting", "None")
                .set("Header", String.join(",", NasCall.COLUMNS))), lines);
        contents.put(intoKudu(mode("Pattern Content").set("Pattern", NasCall.COLUMNS.stream()
                .map(column -> "(?<" + column + ">[^\\t]*)").collect(Collectors.joining("\\t", "^", "$")))), lines);
        contents.put(FileFlow.intoKudu(NIFI.server(), KUDU.server(), flow -> mode("Records")
                .set("Record Reader", flow.enable(Component.of("JsonTreeReader")))
                .set("Record Writer", flow.enable(Component.of("JsonRecordSetWriter")))), json);

        NasCallTable table = null;
        for (final Map.Entry<FileFlow, String> mode : contents.entrySet()) {
            table = NasCallTable.create(KUDU.server());
            load(mode.getKey(), mode.getValue());
            assertThat(table.rows()).as("%s", mode.getKey()).containsExactlyInAnyOrderElementsOf(expected);
        }
        for (final Map.Entry<FileFlow, String> mode : contents.entrySet()) {
            load(mode.getKey(), mode.getValue());
            assertThat(table.rows()).as("%s once more", mode.getKey())
                    .containsExactlyInAnyOrderElementsOf(expected);
        }
        NasCallFlow.intoKudu(NIFI.server(), KUDU.server(), "a FlowFile a line", NasCallFlow.computeRowHash()).load(log);
        assertThat(table.rows()).as("a FlowFile a line").containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void badRowsOfAFileAreSetAsideAndTheOthersLoaded() {
        final NasCallTable table = NasCallTable.create(KUDU.server());
        final List<NasCall> log = SampleLog.calls(8, 30);
        final List<String> lines = new ArrayList<>(log.stream().map(call -> json(call.byColumn())).toList());
        lines.set(4, "{\"ts\":");
        lines.set(9, "{\"ts\":[1]}");

        final Result result = intoKudu(mode("NDJSON Content")).load(String.join("\n", lines) + "\n");

        assertThat(result.loaded()).hasSize(1);
        final FlowFile rejects = result.refused().get(0);
        assertThat(rejects.attributes()).containsEntry("rejects.count", "2").containsEntry("load.count", "30")
                .containsEntry("error_processor", "ComputeRowHash").containsEntry("filename", "calls");
        assertThat(rejects.content().lines().map(WholeFileTest::tree)).extracting(row -> row.get("row_index").intValue())
                .containsExactly(5, 10);
        assertThat(tree(rejects.content().lines().findFirst().orElseThrow()).get("line_content").textValue())
                .isEqualTo("{\"ts\":");
        final List<NasCall> good = new ArrayList<>(log);
        good.remove(9);
        good.remove(4);
        assertThat(table.rows()).containsExactlyInAnyOrderElementsOf(good.stream().distinct().map(StoredCall::of).toList());
    }

    @Test
    void aRecordAtOddsWithTheSchemaIsSetAsideAndABrokenContentStaysWhole() {
        final String schema = "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"a\",\"type\":[\"null\",\"string\"]},"
                + "{\"name\":\"b\",\"type\":[\"null\",\"int\"]},"
                + "{\"name\":\"c\",\"type\":[\"null\",{\"type\":\"long\",\"logicalType\":\"timestamp-millis\"}]}]}";
        final FileFlow flow = FileFlow.ending(NIFI.server(), group -> Component.of("ComputeRowHash").set("Columns", "a,b,c")
                .set("Row Source", "Records")
                .set("Record Reader", group.enable(Component.of("JsonTreeReader").set("Schema Access Strategy",
                        "schema-text-property").set("Schema Text", schema)))
                .set("Record Writer", group.enable(Component.of("JsonRecordSetWriter").set("Output Grouping",
                        "output-oneline"))));

        final Result result = flow.load("{\"a\":\"x\",\"b\":1,\"c\":1772029800123}\n{\"a\":\"y\",\"b\":\"no number\"}\n{\"a\":\"z\",\"b\":3}\n");
        assertThat(result.loaded()).hasSize(1);
        assertThat(result.loaded().get(0).content().lines().map(WholeFileTest::tree)).extracting(row -> row.get("row_hash").asText())
                .containsExactly(ReferenceHash.of(Map.of("a", "x", "b", "1", "c", "2026-02-25 14:30:00.123")),
                        ReferenceHash.of(Map.of("a", "z", "b", "3", "c", "")));
        assertThat(result.loaded().get(0).content()).contains("\"c\":1772029800123");
        assertThat(tree(result.refused().get(0).content()).get("row_index").intValue()).isEqualTo(2);
        assertThat(tree(result.refused().get(0).content()).get("error_message").textValue()).contains("no number");

        final String broken = "{\"a\":\"x\",\"b\":1}\n{\"a\":\"y\",\"b\":!,\"c\":{\"a\":\"inner\"}}\n{\"a\":\"z\"}\n";
        final Result whole = flow.load(broken);
        assertThat(whole.loaded()).isEmpty();
        assertThat(whole.refused()).singleElement().satisfies(refused -> {
            assertThat(refused.content()).isEqualTo(broken);
            assertThat(refused.attribute("error_message")).contains("cannot be read after record 1");
        });
    }

    private static void load(final FileFlow flow, final String content) {
        final Result result = flow.load(content);
        assertThat(result.refused()).isEmpty();
        assertThat(result.loaded()).singleElement().satisfies(loaded -> assertThat(loaded.attributes())
                .containsEntry("record.count", "" + LINES).containsEntry("load.count", "" + LINES)
                .containsEntry("rejects.count", "0"));
    }

    private static FileFlow intoKudu(final Component hash) {
        return FileFlow.intoKudu(NIFI.server(), KUDU.server(), flow -> hash);
    }

    private static Component mode(final String rowSource) {
        return NasCallFlow.computeRowHash().set("Row Source", rowSource);
    }

    private static String json(final Map<String, String> row) {
        try {
            return JSON.writeValueAsString(row);
        } catch (final JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private static JsonNode tree(final String json) {
        try {
            return JSON.readTree(json);
        } catch (final JsonProcessingException e) {
            throw new AssertionError(json, e);
        }
    }
}
