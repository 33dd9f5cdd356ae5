package dev.rowhash.runtime;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** One process of a server: started here, watched here, and ended here, even when this JVM is ended by a signal. */
final class ServerProcess implements AutoCloseable {
    private static final int TAIL_LINES = 40;
    private static final int GRACE_SECONDS = 30;

    private final String name;
    private final Process process;
    private final Path log;
    private final Thread hook;

    private ServerProcess(final String name, final Process process, final Path log) {
        this.name = name;
        this.process = process;
        this.log = log;
        this.hook = new Thread(this::end, "stop " + name);
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * {@code console} takes stdout and stderr; {@code log} is the file that explains a failure best and may be the
     * same one.
     */
    static ServerProcess start(final String name, final Path folder, final Path console, final Path log,
            final Map<String, String> environment, final List<String> command) {
        final ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile())
                .redirectErrorStream(true).redirectOutput(console.toFile());
        builder.environment().putAll(environment);
        try {
            final Process process = builder.start();
            process.getOutputStream().close();
            return new ServerProcess(name, process, log);
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot start " + name + ": " + command.get(0), e);
        }
    }

    /** Waits for the condition; gives up at once, with the log's last lines, when the process has died. */
    void awaitReady(final Duration deadline, final BooleanSupplier ready) {
        Await.until(name + " to be ready", deadline, () -> {
            mustBeAlive();
            return ready.getAsBoolean();
        }, () -> "the end of " + log + ":\n" + tail());
    }

    void mustBeAlive() {
        if (!process.isAlive()) {
            throw new RuntimeFailure(name + " has ended with exit code " + process.exitValue() + ". The end of " + log
                    + ":\n" + tail());
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    private String tail() {
        try {
            final List<String> lines = new String(Files.readAllBytes(log), StandardCharsets.UTF_8).lines().toList();
            return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
        } catch (final IOException e) {
            return "(cannot be read: " + e + ")";
        }
    }

    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (final IllegalStateException e) {
            // The JVM is going down, and the hook with it.
            return;
        }
    }

    private void end() {
        process.destroy();
        try {
            if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (final InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
