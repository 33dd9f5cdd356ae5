package dev.rowhash.runtime;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A Trino of one node on the loopback address, whose catalog {@code kudu} is a Kudu server started here. */
public final class TrinoServer implements AutoCloseable {
    /** The driver's class, for the property Database Driver Class Name. */
    public static final String DRIVER = "io.trino.jdbc.TrinoDriver";

    private static final Duration DEADLINE = Duration.ofSeconds(240);
    private static final Duration ANSWER = Duration.ofSeconds(10);
    private static final int OLDEST_JAVA = 23;
    private static final String JAVA_VARIABLE = "ROWHASH_JAVA21_HOME";
    private static final String CATALOG = "kudu";
    private static final String USER = "rowhash";
    private static final String PROBE = "probe_of_the_catalog";
    /** Trino's error NO_NODES_AVAILABLE. */
    private static final int NO_NODES_AVAILABLE = 65_541;

    private final int port;
    private final ServerProcess process;
    private final HttpClient http = HttpClient.newHttpClient();

    private TrinoServer(final int port, final ServerProcess process) {
        this.port = port;
        this.process = process;
    }

    public static TrinoServer start(final KuduServer kudu) {
        final Path java = java();
        final Path home = Assembly.home("trino");
        final Path folder = Folders.create("trino");
        final int port = Ports.free();
        try {
            layOut(home, folder, port, kudu);
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot lay out Trino in " + folder, e);
        }
        final TrinoServer server = new TrinoServer(port,
                ServerProcess.start("Trino", folder, ServerProcess.CONSOLE, Map.of(), command(java, home)));
        try {
            server.process.awaitReady(DEADLINE, server::isUp);
            server.awaitCatalog();
        } catch (final RuntimeFailure e) {
            server.close();
            throw e;
        }
        return server;
    }

    /** For the property Database Connection URL; the schema is the part of a Kudu table's name before the point. */
    public String jdbcUrl(final String schema) {
        return "jdbc:trino://" + Ports.HOST + ":" + port + "/" + CATALOG + "/" + schema + "?user=" + USER;
    }

    /** The driver's jar, for the property Database Driver Location(s). */
    public static Path driver() {
        try {
            return Path.of(Class.forName(DRIVER).getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (final ClassNotFoundException | URISyntaxException e) {
            throw new RuntimeFailure("The driver of Trino, io.trino:trino-jdbc, is not on the class path", e);
        }
    }

    public Connection connect(final String schema) throws SQLException {
        return DriverManager.getConnection(jdbcUrl(schema));
    }

    /** Trino 470 needs a newer Java than NiFi 2 does, and shares its variable: one Java serves both. */
    private static Path java() {
        try {
            return JavaHome.javaBetween(OLDEST_JAVA, Integer.MAX_VALUE, JAVA_VARIABLE);
        } catch (final RuntimeFailure e) {
            throw new RuntimeFailure("Trino cannot be started: " + e.getMessage() + ". Cure: install Java "
                    + OLDEST_JAVA + " or newer, Temurin 25 for example, and set " + JAVA_VARIABLE
                    + " (for build.sh: JAVA21_HOME) to its home folder; NiFi 2 runs on it as well", e);
        }
    }

    private static void layOut(final Path home, final Path folder, final int port, final KuduServer kudu)
            throws IOException {
        Files.createDirectories(folder.resolve("tmp"));
        final Path catalogs = Files.createDirectories(folder.resolve("etc/catalog"));
        write(folder.resolve("etc/config.properties"),
                "coordinator=true",
                "node-scheduler.include-coordinator=true",
                // A machine too busy to answer a heartbeat would leave queries without the only node.
                "failure-detector.enabled=false",
                "http-server.http.port=" + port,
                "http-server.log.enabled=false",
                "discovery.uri=http://" + Ports.HOST + ":" + port,
                "node.environment=test",
                "node.internal-address=" + Ports.HOST,
                "node.bind-ip=" + Ports.HOST,
                "plugin.dir=" + home.resolve("plugin"),
                "query.max-memory=256MB",
                "query.max-memory-per-node=256MB",
                "memory.heap-headroom-per-node=128MB");
        write(catalogs.resolve(CATALOG + ".properties"),
                "connector.name=kudu",
                "kudu.client.master-addresses=" + kudu.masters(),
                // A Kudu table named bronze.calls is then the table calls of the schema bronze.
                "kudu.schema-emulation.enabled=true",
                "kudu.schema-emulation.prefix=");
    }

    private static void write(final Path file, final String... lines) throws IOException {
        Files.write(file, List.of(lines), StandardCharsets.UTF_8);
    }

    private static List<String> command(final Path java, final Path home) {
        return List.of(java.toString(), "-Xmx512m", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError",
                // The small compiler alone: a test's few queries never earn back what the other one costs.
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=tmp",
                "-Djdk.attach.allowAttachSelf=true",
                "--enable-native-access=ALL-UNNAMED",
                "-Dconfig=etc/config.properties",
                "-cp", home.resolve("lib") + "/*", "io.trino.server.TrinoServer");
    }

    private boolean isUp() {
        final HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + Ports.HOST + ":" + port + "/v1/info"))
                .timeout(ANSWER).build();
        try {
            final HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() == 200 && answer.body().contains("\"starting\":false");
        } catch (final IOException e) {
            return false;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RuntimeFailure("Interrupted while waiting for Trino", e);
        }
    }

    /** A Trino that is up accepts queries before its scheduler knows of a node that has the catalog. */
    private void awaitCatalog() {
        try (Connection connection = connect("default"); Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE " + PROBE + " (id integer WITH (primary_key = true))"
                    + " WITH (partition_by_hash_columns = ARRAY['id'], partition_by_hash_buckets = 2)");
            process.awaitReady(DEADLINE, () -> hasNodeToRead(statement));
            statement.execute("DROP TABLE " + PROBE);
        } catch (final SQLException e) {
            throw new RuntimeFailure("Trino cannot make, read and drop a table in Kudu", e);
        }
    }

    private static boolean hasNodeToRead(final Statement statement) {
        // Only reading the answer tells: the query itself is sent and not waited for.
        try (ResultSet answer = statement.executeQuery("SELECT count(*) FROM " + PROBE)) {
            return answer.next();
        } catch (final SQLException e) {
            if (e.getErrorCode() == NO_NODES_AVAILABLE) {
                return false;
            }
            throw new RuntimeFailure("Trino cannot read a table of Kudu", e);
        }
    }

    /** Stops Trino; of its folder only the logs stay. */
    @Override
    public void close() {
        process.close();
    }
}
