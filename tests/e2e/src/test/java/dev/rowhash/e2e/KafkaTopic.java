package dev.rowhash.e2e;

import dev.rowhash.runtime.KafkaServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A topic of a real broker, and its messages with the attributes that NiFi's ConsumeKafka documents. */
final class KafkaTopic {
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final long DEADLINE_NANOS = Duration.ofSeconds(60).toNanos();

    private final String broker;
    private final String name;
    private final int partitions;

    private KafkaTopic(final String broker, final String name, final int partitions) {
        this.broker = broker;
        this.name = name;
        this.partitions = partitions;
    }

    static KafkaTopic create(final KafkaServer kafka, final String name, final int partitions) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.address()))) {
            admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1))).all().get();
        }
        return new KafkaTopic(kafka.address(), name, partitions);
    }

    /** {@code key}: null for none. */
    void send(final int partition, final String key, final String content) throws ExecutionException, InterruptedException {
        try (Producer<String, String> producer = new KafkaProducer<>(Map.of("bootstrap.servers", broker),
                new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(name, partition, key, content)).get();
        }
    }

    /** All messages there are, those of a partition in their order. */
    List<Message> messages() {
        try (Consumer<String, String> consumer = consumer()) {
            final List<TopicPartition> all =
                    IntStream.range(0, partitions).mapToObj(partition -> new TopicPartition(name, partition)).toList();
            consumer.assign(all);
            consumer.seekToBeginning(all);
            final long count = consumer.endOffsets(all).values().stream().mapToLong(Long::longValue).sum();
            return poll(consumer, count);
        }
    }

    /** The one message that is named so. */
    Message message(final int partition, final long offset) {
        try (Consumer<String, String> consumer = consumer()) {
            final TopicPartition one = new TopicPartition(name, partition);
            consumer.assign(List.of(one));
            consumer.seek(one, offset);
            return poll(consumer, 1).get(0);
        }
    }

    private Consumer<String, String> consumer() {
        return new KafkaConsumer<>(Map.of("bootstrap.servers", broker, "enable.auto.commit", "false"),
                new StringDeserializer(), new StringDeserializer());
    }

    private static List<Message> poll(final Consumer<String, String> consumer, final long count) {
        final List<Message> messages = new ArrayList<>();
        final long end = System.nanoTime() + DEADLINE_NANOS;
        while (messages.size() < count) {
            if (System.nanoTime() > end) {
                throw new AssertionError("Of " + count + " messages came " + messages.size());
            }
            for (final ConsumerRecord<String, String> record : consumer.poll(POLL)) {
                messages.add(Message.of(record));
            }
        }
        return messages;
    }

    /** As a FlowFile of ConsumeKafka, with one message each. */
    record Message(Map<String, String> attributes, String content) {
        private static Message of(final ConsumerRecord<String, String> record) {
            final Map<String, String> attributes = new LinkedHashMap<>();
            attributes.put("kafka.topic", record.topic());
            attributes.put("kafka.partition", Integer.toString(record.partition()));
            attributes.put("kafka.offset", Long.toString(record.offset()));
            attributes.put("kafka.timestamp", Long.toString(record.timestamp()));
            if (record.key() != null) {
                attributes.put("kafka.key", record.key());
            }
            return new Message(attributes, record.value());
        }

        /** In bytes of UTF-8. */
        int size() {
            return content.getBytes(StandardCharsets.UTF_8).length;
        }
    }
}
