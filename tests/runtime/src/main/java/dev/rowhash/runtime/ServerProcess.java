package dev.rowhash.runtime;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * One process of a server and its folder: started here, watched here, and ended here, even when this JVM is ended by a
 * signal. Of the folder only logs/ outlives the process.
 */
final class ServerProcess implements AutoCloseable {
    /** The log of what a process prints. */
    static final String CONSOLE = "console.log";

    private static final String LOGS = "logs";
    private static final int TAIL_LINES = 40;
    private static final int GRACE_SECONDS = 30;

    private final String name;
    private final Path folder;
    private final Process process;
    private final Path log;
    private final Thread hook;

    private ServerProcess(final String name, final Path folder, final Process process, final Path log) {
        this.name = name;
        this.folder = folder;
        this.process = process;
        this.log = log;
        this.hook = new Thread(this::end, "stop " + name);
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * stdout and stderr go to logs/console.log; {@code log} is the file in logs/ that explains a failure best and may
     * be the same one.
     */
    static ServerProcess start(final String name, final Path folder, final String log,
            final Map<String, String> environment, final List<String> command) {
        final Path logs = folder.resolve(LOGS);
        final ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile())
                .redirectErrorStream(true).redirectOutput(Redirect.appendTo(logs.resolve(CONSOLE).toFile()));
        builder.environment().putAll(environment);
        try {
            Files.createDirectories(logs);
            final Process process = builder.start();
            process.getOutputStream().close();
            return new ServerProcess(name, folder, process, logs.resolve(log));
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot start " + name + ": " + command.get(0), e);
        }
    }

    /** Waits for the condition; gives up at once, with the last lines of the log, when the process has died. */
    void awaitReady(final Duration deadline, final BooleanSupplier ready) {
        Await.until(name + " to be ready", deadline, () -> {
            mustBeAlive();
            return ready.getAsBoolean();
        }, this::tail);
    }

    void mustBeAlive() {
        if (!process.isAlive()) {
            throw new RuntimeFailure(name + " has ended with exit code " + process.exitValue() + "; " + tail());
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    Path logs() {
        return folder.resolve(LOGS);
    }

    private String tail() {
        // A process that dies early may have no log of its own yet.
        final Path file = Files.exists(log) ? log : logs().resolve(CONSOLE);
        try {
            final List<String> lines = new String(Files.readAllBytes(file), StandardCharsets.UTF_8).lines().toList();
            return "the end of " + file + ":\n"
                    + String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
        } catch (final IOException e) {
            return file + " cannot be read: " + e;
        }
    }

    /** Ends it as a power cut does (SIGKILL); the folder stays as it is, for a process that goes on there. */
    void kill() {
        try {
            process.destroyForcibly().waitFor();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RuntimeFailure("Interrupted while killing " + name, e);
        }
        removeHook();
    }

    @Override
    public void close() {
        end();
        removeHook();
    }

    private void removeHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (final IllegalStateException e) {
            // The JVM is going down, and the hook with it.
            return;
        }
    }

    private synchronized void end() {
        process.destroy();
        try {
            if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
            Folders.deleteAllBut(folder, LOGS);
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot delete the data of " + name + " in " + folder, e);
        } catch (final InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
