package dev.rowhash.runtime;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A NiFi, alone or a node of a cluster, on plain HTTP on the loopback address. */
public final class NifiServer implements AutoCloseable {
    private static final Duration BOOT_DEADLINE = Duration.ofSeconds(240);
    private static final List<String> CONFIGURATION = List.of("logback.xml", "state-management.xml",
            "authorizers.xml", "login-identity-providers.xml");

    private final NifiVersion version;
    private final Path folder;
    private final NifiClient client;
    private final Supplier<ServerProcess> starter;
    private ServerProcess process;

    private NifiServer(final NifiVersion version, final Path folder, final NifiClient client,
            final Supplier<ServerProcess> starter) {
        this.version = version;
        this.folder = folder;
        this.client = client;
        this.starter = starter;
    }

    private NifiServer started() {
        process = starter.get();
        try {
            process.awaitReady(BOOT_DEADLINE, client::isUp);
        } catch (final RuntimeFailure e) {
            process.close();
            throw e;
        }
        return this;
    }

    /** Ends NiFi with SIGKILL: nothing is stopped or saved in order. */
    public void kill() {
        process.kill();
    }

    /** Starts a killed NiFi again, with all that it had saved; what was running runs again. */
    public void restart() {
        started();
    }

    public static Builder of(final NifiVersion version) {
        return new Builder(version);
    }

    public NifiVersion version() {
        return version;
    }

    public NifiClient client() {
        return client;
    }

    /** For people: the page with the flow. */
    public String page() {
        return client.address() + "/nifi/";
    }

    public boolean isRunning() {
        return process.isAlive();
    }

    public Path logs() {
        return process.logs();
    }

    /** A folder of the server's own for the files that flows read and write. */
    public Path data(final String name) {
        try {
            return Files.createDirectories(folder.resolve("data").resolve(name));
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot create a folder for " + name, e);
        }
    }

    /** Stops NiFi; of its folder only the logs stay. */
    @Override
    public void close() {
        process.close();
    }

    /** What a start of NiFi needs to know. */
    public static final class Builder {
        private final NifiVersion version;
        private final List<Path> nars = new ArrayList<>();
        private final List<String> jvmArguments = new ArrayList<>();
        private final Map<String, String> environment = new LinkedHashMap<>();
        private final Map<String, String> properties = new LinkedHashMap<>();
        private String zooKeeper = "";

        private Builder(final NifiVersion version) {
            this.version = version;
        }

        /** A NAR to drop into extensions/ before the start. */
        public Builder extension(final Path nar) {
            nars.add(nar);
            return this;
        }

        public Builder jvmArguments(final String... arguments) {
            jvmArguments.addAll(List.of(arguments));
            return this;
        }

        public Builder environment(final String name, final String value) {
            environment.put(name, value);
            return this;
        }

        /** Makes it one of so many nodes of the cluster that a ZooKeeper keeps together. */
        Builder nodeOf(final ZooKeeperServer server, final int nodes) {
            zooKeeper = server.connectString();
            properties.put("nifi.cluster.is.node", "true");
            properties.put("nifi.cluster.node.address", Ports.HOST);
            properties.put("nifi.cluster.node.protocol.port", Integer.toString(Ports.free()));
            properties.put("nifi.cluster.load.balance.host", Ports.HOST);
            properties.put("nifi.cluster.load.balance.port", Integer.toString(Ports.free()));
            properties.put("nifi.cluster.flow.election.max.candidates", Integer.toString(nodes));
            properties.put("nifi.zookeeper.connect.string", zooKeeper);
            properties.put("nifi.state.management.provider.cluster", "zk-provider");
            return this;
        }

        public NifiServer start() {
            final Path home = version.home();
            final Path java = version.java();
            final Path folder = Folders.create("nifi-" + version);
            final int port = Ports.free();
            try {
                layOut(home, folder, port);
                final List<String> command = command(java, folder);
                final Map<String, String> variables = Map.copyOf(environment);
                return new NifiServer(version, folder, new NifiClient("http://" + Ports.HOST + ":" + port),
                        () -> ServerProcess.start("NiFi " + version, folder, "nifi-app.log", variables, command)).started();
            } catch (final IOException e) {
                throw new RuntimeFailure("Cannot lay out NiFi " + version + " in " + folder, e);
            }
        }

        private void layOut(final Path home, final Path folder, final int port) throws IOException {
            for (final String name : List.of("conf", "extensions", "python/extensions", "python/api",
                    "python/framework")) {
                Files.createDirectories(folder.resolve(name));
            }
            Files.createSymbolicLink(folder.resolve("lib"), home.resolve("lib"));
            for (final Path nar : nars) {
                Files.copy(nar, folder.resolve("extensions").resolve(nar.getFileName().toString()));
            }
            for (final String name : CONFIGURATION) {
                try (InputStream resource = resource(name)) {
                    final String text = new String(resource.readAllBytes(), StandardCharsets.UTF_8);
                    Files.writeString(folder.resolve("conf").resolve(name), text.replace("@zookeeper@", zooKeeper));
                }
            }
            final Properties all = new Properties();
            try (InputStream resource = resource("nifi.properties")) {
                all.load(resource);
            }
            all.putAll(version.properties());
            all.putAll(properties);
            all.setProperty("nifi.web.http.port", Integer.toString(port));
            try (OutputStream file = Files.newOutputStream(folder.resolve("conf/nifi.properties"))) {
                all.store(file, null);
            }
        }

        private static InputStream resource(final String name) {
            return NifiServer.class.getResourceAsStream("nifi-conf/" + name);
        }

        private List<String> command(final Path java, final Path folder) {
            final List<String> command = new ArrayList<>(List.of(java.toString(), "-Xms256m", "-Xmx768m",
                    "-Djava.awt.headless=true",
                    "-Djava.net.preferIPv4Stack=true",
                    "-Dsun.net.http.allowRestrictedHeaders=true",
                    "-Dnifi.properties.file.path=" + folder.resolve("conf/nifi.properties"),
                    "-Dorg.apache.nifi.bootstrap.config.log.dir=" + folder.resolve("logs")));
            command.addAll(version.jvmArguments(Ports.free()));
            command.addAll(jvmArguments);
            command.addAll(List.of("-cp", classPath(folder), "org.apache.nifi.NiFi"));
            return command;
        }

        private static String classPath(final Path folder) {
            try (Stream<Path> lib = Files.list(folder.resolve("lib"))) {
                return Stream.concat(Stream.of("conf"), lib.map(Path::toString).filter(jar -> jar.endsWith(".jar")).sorted())
                        .collect(Collectors.joining(":"));
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
