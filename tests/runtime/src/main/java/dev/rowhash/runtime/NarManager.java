package dev.rowhash.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** NiFi 2's own way to install and remove NARs while it runs. */
public final class NarManager {
    private static final String NARS = "/controller/nar-manager/nars";

    private final NifiClient nifi;

    public NarManager(final NifiClient nifi) {
        this.nifi = nifi;
    }

    /** Uploads a NAR and waits until NiFi has loaded it; the answer is its id. */
    public String upload(final Path nar) {
        final byte[] content;
        try {
            content = Files.readAllBytes(nar);
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot read " + nar, e);
        }
        final String id = nifi.postBytes(NARS + "/content", Map.of("Filename", nar.getFileName().toString()), content)
                .path("narSummary").path("identifier").asText();
        Await.until(nar.getFileName() + " to be installed", Flow.DEADLINE,
                () -> summary(id).path("installComplete").asBoolean(), () -> summary(id).toString());
        final JsonNode installed = summary(id);
        if (!installed.path("state").asText().equals("Installed")) {
            throw new RuntimeFailure("NiFi did not install " + nar + ": " + installed);
        }
        return id;
    }

    /** Deletes a NAR and waits until NiFi has unloaded it. */
    public void delete(final String id) {
        nifi.delete(NARS + "/" + id + "?force=true");
        Await.until("NAR " + id + " to be deleted", Flow.DEADLINE, () ->
                NifiClient.elements(nifi.get(NARS).path("nars"))
                        .noneMatch(nar -> nar.path("narSummary").path("identifier").asText().equals(id)));
    }

    private JsonNode summary(final String id) {
        return nifi.get(NARS + "/" + id).path("narSummary");
    }
}
