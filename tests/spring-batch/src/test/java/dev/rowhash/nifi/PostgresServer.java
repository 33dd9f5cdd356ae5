package dev.rowhash.nifi;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The system's PostgreSQL with an empty cluster of its own, for as long as the JVM runs. */
final class PostgresServer {

    private static PostgresServer running;

    private final Path folder;
    private final Path binaries;
    private final boolean isRoot = "root".equals(System.getProperty("user.name"));
    private final int port;

    static synchronized PostgresServer get() {
        if (running == null) {
            try {
                running = new PostgresServer();
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return running;
    }

    private PostgresServer() throws IOException {
        binaries = binaries();
        folder = Files.createTempDirectory("postgres");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        final Path cluster = folder.resolve("cluster");
        Files.createDirectory(cluster);
        if (isRoot) { // as which the server refuses to run
            run(List.of("chown", "postgres", cluster.toString()));
        }
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        tool("initdb", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C", "-U", "postgres", "-D", cluster + "/data");
        tool("pg_ctl", "-w", "-t", "180", "-D", cluster + "/data", "-l", cluster + "/log", "-o",
                "-p " + port + " -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off", "start");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                tool("pg_ctl", "-w", "-D", cluster + "/data", "-m", "immediate", "stop");
                run(List.of("rm", "-rf", folder.toString()));
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }));
    }

    String url(final String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
    }

    private static Path binaries() throws IOException {
        final List<Path> folders = new ArrayList<>();
        for (final String folder : System.getenv("PATH").split(":")) {
            folders.add(Path.of(folder));
        }
        final Path debian = Path.of("/usr/lib/postgresql");
        if (Files.isDirectory(debian)) {
            try (Stream<Path> versions = Files.list(debian)) {
                versions.map(version -> version.resolve("bin")).forEach(folders::add);
            }
        }
        return folders.stream().filter(folder -> Files.isExecutable(folder.resolve("initdb"))).findFirst()
                .orElseThrow(() -> new IOException("PostgreSQL is missing: apt-get install postgresql"));
    }

    private void tool(final String name, final String... arguments) throws IOException {
        final List<String> command = new ArrayList<>(isRoot ? List.of("runuser", "-u", "postgres", "--") : List.of());
        command.add(binaries.resolve(name).toString());
        command.addAll(List.of(arguments));
        run(command);
    }

    private void run(final List<String> command) throws IOException {
        final Process process = new ProcessBuilder(command).directory(new File("/"))
                .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        try {
            if (process.waitFor() != 0) {
                throw new IOException("exit code " + process.exitValue() + ": " + String.join(" ", command));
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }
}
