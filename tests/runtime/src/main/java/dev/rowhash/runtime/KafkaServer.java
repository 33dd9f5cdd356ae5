package dev.rowhash.runtime;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A Kafka of one node, broker and controller in one, on the loopback address. */
public final class KafkaServer implements AutoCloseable {
    private static final Duration DEADLINE = Duration.ofSeconds(120);
    private static final int OLDEST_JAVA = 17;
    private static final String CLUSTER = "rowhash-test-cluster-1";
    private static final String CONFIGURATION = "server.properties";

    private final String address;
    private final ServerProcess process;

    private KafkaServer(final String address, final ServerProcess process) {
        this.address = address;
        this.process = process;
    }

    public static KafkaServer start() {
        final Path java = JavaHome.javaBetween(OLDEST_JAVA, Integer.MAX_VALUE, "ROWHASH_JAVA17_HOME");
        final Path home = Assembly.home("kafka");
        final Path folder = Folders.create("kafka");
        final int port = Ports.free();
        final int controllerPort = Ports.free();
        try {
            Files.write(folder.resolve(CONFIGURATION), configuration(port, controllerPort), StandardCharsets.UTF_8);
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot lay out Kafka in " + folder, e);
        }
        final KafkaServer server = new KafkaServer(Ports.HOST + ":" + port,
                ServerProcess.start("Kafka", folder, ServerProcess.CONSOLE, Map.of(), command(java, home)));
        try {
            server.process.awaitReady(DEADLINE, () -> Ports.isListening(port));
        } catch (final RuntimeFailure e) {
            server.close();
            throw e;
        }
        return server;
    }

    private static List<String> configuration(final int port, final int controllerPort) {
        return List.of(
                "process.roles=broker,controller",
                "node.id=1",
                "listeners=PLAINTEXT://" + Ports.HOST + ":" + port + ",CONTROLLER://" + Ports.HOST + ":" + controllerPort,
                "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
                "controller.listener.names=CONTROLLER",
                "controller.quorum.voters=1@" + Ports.HOST + ":" + controllerPort,
                "log.dirs=data",
                "offsets.topic.replication.factor=1",
                "offsets.topic.num.partitions=1",
                "auto.create.topics.enable=false");
    }

    /** A data folder has to be formatted before its first start; both are one process here, as they are one start. */
    private static List<String> command(final Path java, final Path home) {
        final String run = "'" + java + "' -Xmx256m -XX:+UseSerialGC -Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
                + " -cp '" + home.resolve("lib") + "/*' ";
        return List.of("/bin/sh", "-c", run + "kafka.tools.StorageTool format --cluster-id " + CLUSTER + " --config "
                + CONFIGURATION + " && exec " + run + "kafka.Kafka " + CONFIGURATION);
    }

    /** For the property bootstrap.servers. */
    public String address() {
        return address;
    }

    @Override
    public void close() {
        process.close();
    }
}
