package dev.rowhash.runtime;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A ZooKeeper of one node on the loopback address: the one that NiFi's framework brings along for itself. */
public final class ZooKeeperServer implements AutoCloseable {
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final String FRAMEWORK = "nifi-framework-nar-";
    private static final String BUNDLED = "META-INF/bundled-dependencies/";
    private static final Pattern NEEDED =
            Pattern.compile(BUNDLED + "(zookeeper|netty|metrics-core|snappy|commons-io|commons-cli)-[^/]*\\.jar");

    private final int port;
    private final Supplier<ServerProcess> starter;
    private ServerProcess process;

    private ZooKeeperServer(final int port, final Supplier<ServerProcess> starter) {
        this.port = port;
        this.starter = starter;
    }

    static ZooKeeperServer start(final NifiVersion version) {
        final Path home = version.home();
        final Path folder = Folders.create("zookeeper");
        final int port = Ports.free();
        try {
            Files.createDirectories(folder.resolve("data"));
            unpack(home.resolve("lib"), Files.createDirectories(folder.resolve("lib")));
            Files.write(folder.resolve("zoo.cfg"), List.of("tickTime=1000", "dataDir=data", "clientPort=" + port,
                    "clientPortAddress=" + Ports.HOST, "admin.enableServer=false"), StandardCharsets.UTF_8);
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot lay out ZooKeeper in " + folder, e);
        }
        final List<String> command = List.of(version.java().toString(), "-Xmx128m", "-XX:+UseSerialGC", "-cp", "lib/*",
                "org.apache.zookeeper.server.quorum.QuorumPeerMain", "zoo.cfg");
        return new ZooKeeperServer(port,
                () -> ServerProcess.start("ZooKeeper", folder, ServerProcess.CONSOLE, Map.of(), command)).started();
    }

    private static void unpack(final Path nifi, final Path lib) throws IOException {
        try (Stream<Path> files = Files.list(nifi)) {
            for (final Path file : files.toList()) {
                final String name = file.getFileName().toString();
                if (name.startsWith(FRAMEWORK)) {
                    unpackFramework(file, lib);
                } else if (name.startsWith("slf4j-api-") || name.startsWith("logback-")) {
                    Files.copy(file, lib.resolve(name));
                }
            }
        }
    }

    private static void unpackFramework(final Path nar, final Path lib) throws IOException {
        try (JarFile file = new JarFile(nar.toFile())) {
            for (final JarEntry entry : Collections.list(file.entries())) {
                if (NEEDED.matcher(entry.getName()).matches()) {
                    try (InputStream jar = file.getInputStream(entry)) {
                        Files.copy(jar, lib.resolve(entry.getName().substring(BUNDLED.length())));
                    }
                }
            }
        }
    }

    private ZooKeeperServer started() {
        process = starter.get();
        try {
            process.awaitReady(DEADLINE, () -> Ports.isListening(port));
        } catch (final RuntimeFailure e) {
            process.close();
            throw e;
        }
        return this;
    }

    String connectString() {
        return Ports.HOST + ":" + port;
    }

    /** Ends it with SIGKILL. */
    public void kill() {
        process.kill();
    }

    /** Starts a killed ZooKeeper again with all that it had saved. */
    public void restart() {
        started();
    }

    @Override
    public void close() {
        process.close();
    }
}
