package dev.rowhash.e2e;

import dev.rowhash.runtime.Project;
import dev.rowhash.runtime.RuntimeFailure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a program of the project and takes what it prints. */
final class CommandLine {
    private CommandLine() {
    }

    /** The command line {@code rowhash}, where cargo builds it, or where the property {@code rowhash.cli} says. */
    static String rowhash(final List<String> arguments) {
        final Path built = Project.root().resolve(System.getProperty("rowhash.cli", "target/debug/rowhash"));
        if (!Files.isExecutable(built)) {
            throw new RuntimeFailure("There is no command line at " + built + ": cargo build -p rowhash");
        }
        return run(built.toString(), arguments);
    }

    static String run(final String program, final List<String> arguments) {
        final List<String> command = new ArrayList<>(List.of(program));
        command.addAll(arguments);
        try {
            final Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            process.getOutputStream().close();
            final String printed;
            try (InputStream output = process.getInputStream()) {
                printed = new String(output.readAllBytes(), StandardCharsets.UTF_8);
            }
            if (process.waitFor() != 0) {
                throw new RuntimeFailure(command + " failed with " + process.exitValue());
            }
            return printed;
        } catch (final IOException e) {
            throw new RuntimeFailure(command + " cannot be run", e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RuntimeFailure("Interrupted while waiting for " + command, e);
        }
    }
}
