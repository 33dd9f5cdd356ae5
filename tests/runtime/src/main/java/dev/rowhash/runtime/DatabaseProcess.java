package dev.rowhash.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * A database server of the system's packages with an empty data folder of its own. Root's processes such servers refuse
 * to be: started by root they are the user's that their package made.
 */
final class DatabaseProcess implements AutoCloseable {
    static final Duration DEADLINE = Duration.ofSeconds(180);

    private static final boolean IS_ROOT = "root".equals(System.getProperty("user.name"));

    private final String name;
    private final String user;
    private final Path folder;
    private final Path data;
    private ServerProcess process;

    DatabaseProcess(final String name, final String user) {
        this.name = name;
        this.user = user;
        this.folder = Folders.create(name);
        try {
            // Not below the project, where that user may not enter.
            this.data = Files.createTempDirectory(name + "-");
            if (IS_ROOT) {
                run("chown", user + ":", data.toString());
            }
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot make a data folder for " + name, e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::close, "delete the data of " + name));
    }

    /** The data folder: absolute, and only for that user. */
    Path data() {
        return data;
    }

    /** A program on the PATH, or in one of the folders where packages put it that keep it off the PATH. */
    static Path program(final String name, final String packageName, final Path... folders) {
        return Stream.concat(Arrays.stream(System.getenv("PATH").split(":")).map(Path::of), Arrays.stream(folders))
                .map(folder -> folder.resolve(name)).filter(Files::isExecutable).findFirst()
                .orElseThrow(() -> new RuntimeFailure(name + " is missing: apt-get install " + packageName));
    }

    /** Runs a command of the server to its end. */
    void runAsUser(final String... command) {
        run(asUser(List.of(command)).toArray(new String[0]));
    }

    private void run(final String... command) {
        try {
            final Path logs = Files.createDirectories(folder.resolve("logs"));
            final Process run = new ProcessBuilder(command).directory(data.toFile()).redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(logs.resolve(ServerProcess.CONSOLE).toFile())).start();
            run.getOutputStream().close();
            if (run.waitFor() != 0) {
                throw new RuntimeFailure(String.join(" ", command) + " has ended with exit code " + run.exitValue() + "; see " + logs);
            }
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot run " + String.join(" ", command), e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RuntimeFailure("Interrupted while preparing " + name, e);
        }
    }

    void start(final List<String> command, final BooleanSupplier ready) {
        process = ServerProcess.start(name, folder, ServerProcess.CONSOLE, Map.of(), asUser(command));
        process.awaitReady(DEADLINE, ready);
    }

    /** Ends it as a power cut does; it can be started again, with its data. */
    void kill() {
        process.kill();
    }

    private List<String> asUser(final List<String> command) {
        final List<String> whole = new ArrayList<>(IS_ROOT
                ? List.of("setpriv", "--reuid=" + user, "--regid=" + user, "--init-groups", "--") : List.of());
        whole.addAll(command);
        return whole;
    }

    @Override
    public synchronized void close() {
        if (process != null) {
            process.close();
        }
        if (!Files.exists(data)) {
            return;
        }
        try (Stream<Path> files = Files.walk(data)) {
            for (final Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot delete the data of " + name + " in " + data, e);
        }
    }
}
