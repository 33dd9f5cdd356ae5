package dev.rowhash.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A connection's queue. */
public final class FlowQueue {
    /** NiFi lists no more than the first 100 FlowFiles of a queue. */
    public static final int LISTED = 100;

    private final NifiClient nifi;
    private final String id;
    private final String label;

    FlowQueue(final NifiClient nifi, final String id, final String label) {
        this.nifi = nifi;
        this.id = id;
        this.label = label;
    }

    public String label() {
        return label;
    }

    public int size() {
        return nifi.get("/flow/connections/" + id + "/status").path("connectionStatus").path("aggregateSnapshot")
                .path("flowFilesQueued").asInt();
    }

    public void awaitSize(final int size) {
        Await.until(size + " FlowFiles in the queue " + label, Flow.DEADLINE, () -> size() == size, () -> size() + " are there");
    }

    /** The first FlowFiles, at most {@link #LISTED}. */
    public List<FlowFile> flowFiles() {
        final JsonNode listing = finish("/flowfile-queues/" + id + "/listing-requests", "listingRequest");
        return NifiClient.elements(listing.path("flowFileSummaries"))
                .map(summary -> flowFile(summary.path("uuid").asText()))
                .toList();
    }

    /** Drops every FlowFile. */
    public void empty() {
        finish("/flowfile-queues/" + id + "/drop-requests", "dropRequest");
    }

    private JsonNode finish(final String requests, final String field) {
        final String request = requests + "/" + nifi.post(requests, Map.of()).path(field).path("id").asText();
        Await.until("the queue " + label + " to answer", Flow.DEADLINE,
                () -> nifi.get(request).path(field).path("finished").asBoolean());
        final JsonNode answer = nifi.get(request).path(field);
        nifi.delete(request);
        return answer;
    }

    private FlowFile flowFile(final String uuid) {
        final String path = "/flowfile-queues/" + id + "/flowfiles/" + uuid;
        final JsonNode flowFile = nifi.get(path).path("flowFile");
        final Map<String, String> attributes = new LinkedHashMap<>();
        flowFile.path("attributes").fields()
                .forEachRemaining(attribute -> attributes.put(attribute.getKey(), attribute.getValue().asText()));
        final byte[] content = flowFile.path("size").asLong() == 0 ? new byte[0] : nifi.getBytes(path + "/content");
        return new FlowFile(attributes, new String(content, StandardCharsets.UTF_8));
    }

    /** A FlowFile as it stands in the queue; its content read as UTF-8. */
    public record FlowFile(Map<String, String> attributes, String content) {
        public String attribute(final String name) {
            return attributes.get(name);
        }
    }
}
