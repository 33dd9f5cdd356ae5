package dev.rowhash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rowhash.e2e.KafkaTopic.Message;
import dev.rowhash.runtime.Await;
import dev.rowhash.runtime.FlowDefinition;
import dev.rowhash.runtime.FlowProcessor;
import dev.rowhash.runtime.KafkaServer;
import dev.rowhash.runtime.KuduServer;
import dev.rowhash.runtime.LoadLogFlow;
import dev.rowhash.runtime.LoadLogTables;
import dev.rowhash.runtime.NasCall;
import dev.rowhash.runtime.NasCallTable;
import dev.rowhash.runtime.NasCallTable.StoredCall;
import dev.rowhash.runtime.NifiServer;
import dev.rowhash.runtime.NifiVersion;
import dev.rowhash.runtime.Project;
import dev.rowhash.runtime.SampleLog;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kudu.client.AlterTableOptions;
import org.apache.kudu.client.KuduException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The flow definition kafka-to-kudu.json with the messages of a real broker. NiFi's own Kafka processors cannot be had
 * for these tests: the messages become FlowFiles here, with the attributes that these processors document.
 */
class KafkaFlowTest {
    @RegisterExtension
    static final RunningNifi NIFI =
            new RunningNifi(() -> NifiServer.of(NifiVersion.V1_18_0).extension(Project.nar()));

    private static final Duration DEADLINE = Duration.ofSeconds(120);
    private static final int CELL = 65_536;
    private static final Set<String> OWN_ATTRIBUTES = Set.of("uuid", "path", "filename");
    private static final ObjectMapper JSON = new ObjectMapper();

    private static KuduServer kudu;
    private static KafkaServer kafka;

    private final Set<String> sent = new HashSet<>();

    @BeforeAll
    static void startServers() {
        kudu = KuduServer.start();
        kafka = KafkaServer.start();
    }

    @AfterAll
    static void stopServers() {
        if (kafka != null) {
            kafka.close();
        }
        if (kudu != null) {
            kudu.close();
        }
    }

    @Test
    void messagesOfABrokerAreLoadedAndWhatTheLogCouldNotKeepIsConsumedAgain() throws Exception {
        final NasCallTable table = NasCallTable.create(kudu);
        final LoadLogFlow flow = LoadLogFlow.upload(NIFI.server(), kudu, LoadLogTables.create(kudu), "broker",
                FlowDefinition.read("nifi-nar/flows/kafka-to-kudu.json"));
        final FlowProcessor source = flow.addSource("Name the batch");
        flow.start();
        final List<NasCall> small = SampleLog.calls(21, 4);
        // Each cell fits into Kudu, the message as a whole does not fit into the log's cell.
        final NasCall big = SampleLog.calls(22, 1).get(0).with("input", "가".repeat(15_000)).with("output", "각".repeat(15_000));
        final KafkaTopic topic = KafkaTopic.create(kafka, "calls", 2);
        topic.send(0, "사용자-1", json(small.get(0)));
        topic.send(0, "사용자-1", "JSON이 아님");
        topic.send(0, null, json(small.get(1)));
        topic.send(1, "사용자-2", json(small.get(2)));
        topic.send(1, "사용자-2", json(big));
        topic.send(1, null, json(small.get(3)));

        final List<Message> messages = topic.messages();
        assertThat(messages).hasSize(6);
        messages.stream().filter(message -> message.size() <= CELL).forEach(message -> send(source, message, message.attributes()));
        flow.awaitFinal(1);
        rename(NasCallTable.NAME, "bronze.away");
        messages.stream().filter(message -> message.size() > CELL).forEach(message -> send(source, message, message.attributes()));
        awaitCounts(flow, 6, 4, 2);
        rename("bronze.away", NasCallTable.NAME);

        assertThat(flow.details()).hasSize(2)
                .anySatisfy(row -> assertThat(row).containsEntry("kafka_partition", 0).containsEntry("kafka_offset", 1L)
                        .containsEntry("line_content", "JSON이 아님").containsEntry("error_processor", "EvaluateJsonPath"))
                .anySatisfy(row -> assertThat(row).containsEntry("kafka_partition", 1).containsEntry("kafka_offset", 1L)
                        .containsEntry("line_content", null).containsEntry("error_processor", "PutKudu"))
                .allSatisfy(row -> assertThat(row).containsEntry("kafka_topic", "calls"));

        flow.replayWhateverFailed();
        flow.queue("consume again").awaitSize(1);
        final Map<String, String> wanted = flow.queue("consume again").flowFiles().get(0).attributes();
        final Message again = topic.message(Integer.parseInt(wanted.get("kafka.partition")), Long.parseLong(wanted.get("kafka.offset")));
        send(source, again, wanted);

        awaitCounts(flow, 6, 5, 1);
        assertThat(flow.details()).extracting(row -> row.get("kafka_partition") + " " + row.get("status") + " " + row.get("retry_count"))
                .containsExactlyInAnyOrder("0 FAIL 1", "1 SUCCESS 1");
        final List<StoredCall> rows = table.rows();
        assertThat(rows).hasSize(5).contains(StoredCall.of(big)).containsAll(small.stream().map(StoredCall::of).toList());
    }

    /** Sends a message as one FlowFile with these attributes and none of the message before. */
    private void send(final FlowProcessor source, final Message message, final Map<String, String> attributes) {
        final Map<String, String> properties = new HashMap<>();
        sent.forEach(name -> properties.put(name, null));
        properties.put("base_dts", "20260304050600");
        properties.putAll(attributes);
        properties.keySet().removeAll(OWN_ATTRIBUTES);
        sent.addAll(properties.keySet());
        LoadLogFlow.send(source, message.content(), properties);
    }

    private static void awaitCounts(final LoadLogFlow flow, final int read, final int loaded, final int failed) {
        final String expected = "PARTIAL " + read + " = " + loaded + " + " + failed;
        Await.until("the batch to be " + expected, DEADLINE, () -> flow.isIdle() && flow.masters().stream().map(KafkaFlowTest::counts).toList()
                .equals(List.of(expected)), () -> flow.masters() + " " + flow.queued());
    }

    private static String counts(final Map<String, Object> master) {
        return master.get("status") + " " + master.get("src_count") + " = " + master.get("load_count") + " + "
                + master.get("error_count");
    }

    private static void rename(final String table, final String name) throws KuduException {
        kudu.client().alterTable(table, new AlterTableOptions().renameTable(name));
    }

    private static String json(final NasCall call) {
        try {
            return JSON.writeValueAsString(call.byColumn());
        } catch (final JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
