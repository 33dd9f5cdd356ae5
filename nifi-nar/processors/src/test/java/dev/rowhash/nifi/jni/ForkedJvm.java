package dev.rowhash.nifi.jni;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a main class of the tests in a JVM of its own, for what one JVM can do only once, or may not survive. */
public final class ForkedJvm {

    public record Result(int exitCode, String output) {
    }

    private ForkedJvm() {
    }

    public static Result run(final List<String> jvmArguments, final Class<?> main, final String... arguments)
            throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        for (final String property : List.of("rowhash.vectors.directory", "rowhash.vectors.report")) {
            command.add("-D" + property + "=" + Vectors.required(property));
        }
        command.addAll(jvmArguments);
        command.add(main.getName());
        command.addAll(List.of(arguments));

        final Path output = Files.createTempFile("forked-jvm-", ".log");
        try {
            final Process process = new ProcessBuilder(command).redirectErrorStream(true)
                    .redirectOutput(output.toFile()).start();
            if (!process.waitFor(180, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
                throw new IllegalStateException(main.getName() + " did not end in 180 s: " + Files.readString(output));
            }
            return new Result(process.exitValue(), Files.readString(output));
        } finally {
            Files.delete(output);
        }
    }

    /** The library built with the cargo feature test-hooks, as a JVM argument. */
    public static String testHooks() {
        final Path library = Path.of(Vectors.required("rowhash.test.hooks.library"));
        if (!Files.isRegularFile(library)) {
            throw new IllegalStateException(library + " is missing: ./build.sh test makes it (cargo build --release"
                    + " -p rowhash-jni --features test-hooks)");
        }
        return "-D" + NativeLibrary.PATH_PROPERTY + "=" + library;
    }
}
