package dev.rowhash.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One processor of a flow. */
public final class FlowProcessor {
    private final NifiClient nifi;
    private final String id;
    private final String name;
    private final int y;

    FlowProcessor(final NifiClient nifi, final String id, final String name, final int y) {
        this.nifi = nifi;
        this.id = id;
        this.name = name;
        this.y = y;
    }

    public String id() {
        return id;
    }

    public String name() {
        return name;
    }

    int y() {
        return y;
    }

    /** Sets properties by the names that the page shows. */
    public void configure(final Map<String, String> properties) {
        update(Map.of("config", Map.of("properties", Names.apiNames(properties, config().path("descriptors")))));
    }

    void update(final Map<String, ?> change) {
        final Map<String, Object> component = new LinkedHashMap<>(change);
        component.put("id", id);
        nifi.put(path(), Map.of("revision", entity().path("revision"), "component", component));
    }

    /** Starts it; invalid is an error with NiFi's reasons. */
    public void start() {
        awaitValid();
        setState("RUNNING");
    }

    /** Triggers it once and waits until that is over. */
    public void runOnce() {
        awaitValid();
        setState("RUN_ONCE");
        awaitState("STOPPED");
    }

    /** Stops it and waits until its last trigger is over. */
    public void stop() {
        setState("STOPPED");
        awaitState("STOPPED");
    }

    /** As the page's Clear state does; the processor runs before and after. */
    public void clearState() {
        stop();
        nifi.post(path() + "/state/clear-requests", Map.of());
        start();
    }

    private void awaitValid() {
        Await.until(name + " to be valid", Flow.DEADLINE,
                () -> component().path("validationStatus").asText().equals("VALID"),
                () -> component().path("validationErrors").toString());
    }

    private void setState(final String state) {
        nifi.put(path() + "/run-status", Map.of("revision", entity().path("revision"), "state", state));
    }

    private void awaitState(final String state) {
        Await.until(name + " to be " + state, Flow.DEADLINE, () -> {
            final JsonNode entity = entity();
            return entity.path("component").path("state").asText().equals(state)
                    && entity.path("status").path("aggregateSnapshot").path("activeThreadCount").asInt() == 0;
        });
    }

    void delete() {
        nifi.delete(path() + "?version=" + entity().path("revision").path("version").asLong());
    }

    /** What NiFi says against running it; waits for the validation to end. */
    public List<String> validationErrors() {
        Await.until(name + " to be validated", Flow.DEADLINE,
                () -> !component().path("validationStatus").asText().equals("VALIDATING"));
        return NifiClient.elements(component().path("validationErrors")).map(JsonNode::asText).toList();
    }

    /** The messages that the page shows on it, newest first. */
    public List<String> bulletins() {
        return NifiClient.elements(nifi.get("/flow/bulletin-board?sourceId=" + id).path("bulletinBoard").path("bulletins"))
                .map(entity -> entity.path("bulletin"))
                .map(bulletin -> bulletin.path("level").asText() + " " + bulletin.path("message").asText())
                .toList();
    }

    /** The counters that it adjusted, by name. */
    public Map<String, Long> counters() {
        final Map<String, Long> counters = new TreeMap<>();
        NifiClient.elements(nifi.get("/counters").path("counters").path("aggregateSnapshot").path("counters"))
                .filter(counter -> counter.path("context").asText().contains(id))
                .forEach(counter -> counters.put(counter.path("name").asText(), counter.path("valueCount").asLong()));
        return counters;
    }

    /** The Verify button: each step's outcome and explanation; {@code attributes} are those of an example FlowFile. */
    public List<Verification> verify(final Map<String, String> attributes) {
        final String requests = path() + "/config/verification-requests";
        final JsonNode started = nifi.post(requests, Map.of("request", Map.of("componentId", id,
                "properties", config().path("properties"), "attributes", attributes))).path("request");
        final String request = requests + "/" + started.path("requestId").asText();
        Await.until("the verification of " + name, Flow.DEADLINE,
                () -> nifi.get(request).path("request").path("complete").asBoolean());
        return NifiClient.elements(nifi.delete(request).path("request").path("results"))
                .map(result -> new Verification(result.path("verificationStepName").asText(),
                        result.path("outcome").asText(), result.path("explanation").asText()))
                .toList();
    }

    private String path() {
        return "/processors/" + id;
    }

    private JsonNode entity() {
        return nifi.get(path());
    }

    private JsonNode component() {
        return entity().path("component");
    }

    private JsonNode config() {
        return component().path("config");
    }

    /** One line of the Verify button's answer. */
    public record Verification(String step, String outcome, String explanation) {
    }
}
