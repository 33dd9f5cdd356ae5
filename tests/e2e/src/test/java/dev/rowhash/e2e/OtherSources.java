package dev.rowhash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rowhash.runtime.Await;
import dev.rowhash.runtime.FlowProcessor;
import dev.rowhash.runtime.LoadLogFlow;
import dev.rowhash.runtime.NasCall;
import dev.rowhash.runtime.NasCallTable;
import dev.rowhash.runtime.NasCallTable.StoredCall;
import dev.rowhash.runtime.SampleLog;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The flows of messages and of a database, as imported, whatever sink they end in. */
final class OtherSources {
    private static final Duration LOAD_DEADLINE = Duration.ofSeconds(300);
    /** For a cell of 65,536 bytes. */
    private static final String TOO_LONG = "가".repeat(21_846);
    private static final ObjectMapper JSON = new ObjectMapper();

    private OtherSources() {
    }

    static void messagesAreNamedByTheirPartitionAndOffset(final LoadLogFlow flow, final NasCallTable table, final String sink) {
        final FlowProcessor source = flow.addSource("Name the batch");
        flow.start();
        final List<NasCall> calls = SampleLog.calls(13, 2);
        final long farOffset = Integer.MAX_VALUE + 6L;
        sendMessage(source, json(calls.get(0)), 0, 7);
        sendMessage(source, json(calls.get(1)), 1, 7);
        sendMessage(source, json(calls.get(1)), 1, 7);
        sendMessage(source, "no JSON", 0, farOffset);
        sendMessage(source, json(calls.get(0).with("output", TOO_LONG)), 1, 9);

        flow.awaitFinal(1);
        assertThat(flow.masters()).singleElement().satisfies(master -> assertThat(master).containsEntry("src_type", "KAFKA")
                .containsEntry("status", "PARTIAL").containsEntry("src_count", 4).containsEntry("load_count", 2)
                .containsEntry("error_count", 2));
        assertThat(flow.details()).hasSize(2)
                .anySatisfy(row -> assertThat(row).containsEntry("kafka_offset", farOffset).containsEntry("kafka_partition", 0)
                        .containsEntry("kafka_topic", "calls").containsEntry("kafka_category", "copilot")
                        .containsEntry("line_content", "no JSON").containsEntry("error_processor", "EvaluateJsonPath"))
                .anySatisfy(row -> assertThat(row).containsEntry("kafka_offset", 9L).containsEntry("kafka_partition", 1)
                        .containsEntry("line_content", null).containsEntry("error_processor", sink));

        flow.replayWhateverFailed();

        flow.queue("consume again").awaitSize(1);
        assertThat(flow.queue("consume again").flowFiles().get(0).attributes()).containsEntry("kafka.topic", "calls")
                .containsEntry("kafka.partition", "1").containsEntry("kafka.offset", "9");
        Await.until("the other message to fail again", LOAD_DEADLINE, () -> flow.details().stream().anyMatch(row ->
                row.get("kafka_offset").equals(farOffset) && row.get("retry_count").equals(1) && row.get("status").equals("FAIL")), () -> flow.details().toString());
        assertThat(table.rows()).containsExactlyInAnyOrderElementsOf(calls.stream().map(StoredCall::of).toList());
    }

    static void rowsOfADatabaseAreNamedByTheirKey(final LoadLogFlow flow, final NasCallTable table, final String sink) {
        final FlowProcessor result = flow.addSource("Split into rows");
        flow.start();
        final List<NasCall> calls = SampleLog.calls(14, 2);
        final NasCall tooLong = SampleLog.calls(15, 1).get(0).with("output", TOO_LONG);
        final Map<String, String> batch = Map.of("src_type", "DB", "regn", "R01", "db_name", "bronze",
                "table_name", "nas_copilot_call", "base_dts", "20260304050607", "record.count", "3"); // as ExecuteSQLRecord sets it

        LoadLogFlow.send(result, "[" + json(calls.get(0)) + "," + json(calls.get(1)) + "," + json(tooLong) + "]", batch);

        Await.until("the batch to be final", LOAD_DEADLINE, () -> flow.isIdle() && flow.masters().stream()
                .anyMatch(master -> master.get("base_dts").equals("20260304050607") && !master.get("status").equals("RUNNING")));
        assertThat(flow.master("20260304050607")).containsEntry("src_type", "DB").containsEntry("status", "PARTIAL")
                .containsEntry("src_count", 3).containsEntry("load_count", 2).containsEntry("error_count", 1);
        assertThat(flow.details("20260304050607")).singleElement().satisfies(row -> assertThat(row)
                .containsEntry("record_key", tooLong.value("epid")).containsEntry("line_content", null)
                .containsEntry("error_processor", sink));

        flow.replayWhateverFailed();

        flow.queue("query the row again").awaitSize(1);
        assertThat(flow.queue("query the row again").flowFiles().get(0).attribute("record_key")).isEqualTo(tooLong.value("epid"));
        assertThat(table.rows()).containsExactlyInAnyOrderElementsOf(calls.stream().map(StoredCall::of).toList());
    }

    private static void sendMessage(final FlowProcessor source, final String content, final int partition, final long offset) {
        LoadLogFlow.send(source, content, Map.of("kafka.topic", "calls", "kafka.partition", Integer.toString(partition),
                "kafka.offset", Long.toString(offset), "base_dts", "20260304050600"));
    }

    private static String json(final NasCall call) {
        try {
            return JSON.writeValueAsString(call.byColumn());
        } catch (final JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
