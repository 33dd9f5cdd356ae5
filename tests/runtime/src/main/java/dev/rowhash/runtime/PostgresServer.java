package dev.rowhash.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.postgresql.Driver;

/** The system's PostgreSQL on the loopback address, with an empty cluster of its own. */
public final class PostgresServer implements AutoCloseable {
    /** Its superuser, who needs no password. */
    public static final String USER = "postgres";

    private static final Path DEBIAN = Path.of("/usr/lib/postgresql");

    private final DatabaseProcess process;
    private final Path programs;
    private final int port;

    private PostgresServer(final DatabaseProcess process, final Path programs, final int port) {
        this.process = process;
        this.programs = programs;
        this.port = port;
    }

    public static PostgresServer start() {
        final Path programs = programs();
        final PostgresServer server = new PostgresServer(new DatabaseProcess("postgres", USER), programs, Ports.free());
        try {
            server.process.runAsUser(programs.resolve("initdb").toString(), "--auth=trust", "--no-sync", "--encoding=UTF8",
                    "--locale=C", "-U", USER, "-D", server.process.data().toString());
            server.restart();
            return server;
        } catch (final RuntimeFailure e) {
            server.close();
            throw e;
        }
    }

    /** Ends it with SIGKILL. */
    public void kill() {
        process.kill();
    }

    /** Starts a killed one again, with its tables, where it was. */
    public void restart() {
        process.start(List.of(programs.resolve("postgres").toString(), "-D", process.data().toString(),
                "-p", Integer.toString(port), "-c", "listen_addresses=" + Ports.HOST, "-c", "unix_socket_directories=",
                "-c", "fsync=off"), () -> isReady(programs.resolve("pg_isready"), port));
    }

    /** It listens before it takes connections. */
    private static boolean isReady(final Path probe, final int port) {
        try {
            return new ProcessBuilder(probe.toString(), "-q", "-h", Ports.HOST, "-p", Integer.toString(port)).start().waitFor() == 0;
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot run " + probe, e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RuntimeFailure("Interrupted while waiting for PostgreSQL", e);
        }
    }

    private static Path programs() {
        try (Stream<Path> versions = Files.isDirectory(DEBIAN) ? Files.list(DEBIAN) : Stream.empty()) {
            final Path[] folders = versions.map(version -> version.resolve("bin")).toArray(Path[]::new);
            // The others are beside it, and not beside a link to it.
            return DatabaseProcess.program("initdb", "postgresql", folders).toRealPath().getParent();
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot find the programs of PostgreSQL", e);
        }
    }

    /** For JDBC; a new cluster has the database postgres. */
    public String jdbcUrl(final String database) {
        return "jdbc:postgresql://" + Ports.HOST + ":" + port + "/" + database;
    }

    public Connection connect(final String database) throws SQLException {
        return DriverManager.getConnection(jdbcUrl(database), USER, "");
    }

    /** A controller service that connects NiFi with it. */
    public Component pool(final String database) {
        return Component.pool(jdbcUrl(database), Driver.class).set("Database User", USER);
    }

    @Override
    public void close() {
        process.close();
    }
}
