package dev.rowhash.runtime;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The folders that assemble.sh makes; the script alone knows where they are and how they come about. */
final class Assembly {
    private Assembly() {
    }

    /** The folder of a server, assembled first when the cache does not hold it yet. */
    static Path home(final String server) {
        final Path script = Project.root().resolve("tests/runtime/assemble.sh");
        try {
            final Process process = new ProcessBuilder(script.toString(), server)
                    .redirectError(ProcessBuilder.Redirect.INHERIT).start();
            final String folder;
            try (InputStream stdout = process.getInputStream()) {
                folder = new String(stdout.readAllBytes(), StandardCharsets.UTF_8).trim();
            }
            if (process.waitFor() != 0) {
                throw new RuntimeFailure(server + " could not be assembled: see the messages of " + script + " above");
            }
            return Path.of(folder);
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot run " + script, e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RuntimeFailure("Interrupted while assembling " + server, e);
        }
    }
}
