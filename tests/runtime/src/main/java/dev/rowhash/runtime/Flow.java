package dev.rowhash.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A process group under construction and in use. */
public final class Flow {
    static final Duration DEADLINE = Duration.ofSeconds(60);

    private static final String ROOT_GROUP = "root";
    private static final int ROW_HEIGHT = 200;
    private static final int COLUMN_WIDTH = 700;

    private final NifiClient nifi;
    private final String id;
    private final List<FlowProcessor> processors = new ArrayList<>();

    private Flow(final NifiClient nifi, final String id) {
        this.nifi = nifi;
        this.id = id;
    }

    public static Flow create(final NifiClient nifi, final String name) {
        final JsonNode group = nifi.post("/process-groups/" + ROOT_GROUP + "/process-groups", newEntity(
                Map.of("name", name, "position", Map.of("x", 0, "y", 0))));
        return new Flow(nifi, group.path("id").asText());
    }

    /** A group that is there, with its processors in no particular order. */
    static Flow of(final NifiClient nifi, final String id) {
        final Flow flow = new Flow(nifi, id);
        for (final JsonNode entity : nifi.get("/process-groups/" + id + "/processors").path("processors")) {
            final JsonNode component = entity.path("component");
            flow.processors.add(new FlowProcessor(nifi, component.path("id").asText(), component.path("name").asText(),
                    component.path("position").path("y").asInt()));
        }
        return flow;
    }

    public FlowProcessor processor(final String name) {
        return processors.stream().filter(processor -> processor.name().equals(name)).findFirst()
                .orElseThrow(() -> new RuntimeFailure("The flow has no processor named " + name));
    }

    /** Enables every controller service of the group. */
    void enableServices() {
        final String services = "/flow/process-groups/" + id + "/controller-services";
        nifi.put(services, Map.of("id", id, "state", "ENABLED"));
        Await.until("the controller services to be enabled", DEADLINE,
                () -> NifiClient.elements(nifi.get(services).path("controllerServices"))
                        .allMatch(service -> service.path("component").path("state").asText().equals("ENABLED")));
    }

    /** How many FlowFiles wait in all queues before a processor. */
    public int queuedBefore(final FlowProcessor processor) {
        return queueStatus().filter(queue -> queue.path("destinationName").asText().equals(processor.name()))
                .mapToInt(queue -> queue.path("flowFilesQueued").asInt()).sum();
    }

    /** Adds a processor below the ones that are there, stopped. */
    public FlowProcessor add(final Component component) {
        final FlowProcessor processor = create(component, processors.size() * ROW_HEIGHT);
        processors.add(processor);
        return processor;
    }

    private FlowProcessor create(final Component component, final int y) {
        final JsonNode type = nifi.processorType(component);
        final JsonNode created = nifi.post("/process-groups/" + id + "/processors", newEntity(Map.of(
                "type", type.path("type"), "bundle", type.path("bundle"), "name", component.name(),
                "position", Map.of("x", 0, "y", y))));
        final FlowProcessor processor = new FlowProcessor(nifi, created.path("id").asText(), component.name(), y);
        processor.configure(component.properties());
        processor.update(Map.of("config", Map.of("schedulingPeriod", component.period(),
                "autoTerminatedRelationships", component.autoTerminated())));
        return processor;
    }

    /** Adds a controller service and enables it; the answer is its id, for the property that refers to it. */
    public String enable(final Component component) {
        final JsonNode type = nifi.serviceType(component);
        final JsonNode created = nifi.post("/process-groups/" + id + "/controller-services", newEntity(Map.of(
                "type", type.path("type"), "bundle", type.path("bundle"), "name", component.name())));
        final String path = "/controller-services/" + created.path("id").asText();
        nifi.put(path, Map.of("revision", created.path("revision"), "component", Map.of("id", created.path("id"),
                "properties", Names.apiNames(component.properties(), created.path("component").path("descriptors")))));
        Await.until(component.name() + " to be valid", DEADLINE,
                () -> nifi.get(path).path("component").path("validationStatus").asText().equals("VALID"),
                () -> nifi.get(path).path("component").path("validationErrors").toString());
        nifi.put(path + "/run-status", Map.of("revision", nifi.get(path).path("revision"), "state", "ENABLED"));
        Await.until(component.name() + " to be enabled", DEADLINE,
                () -> nifi.get(path).path("component").path("state").asText().equals("ENABLED"));
        return created.path("id").asText();
    }

    public FlowQueue connect(final FlowProcessor source, final FlowProcessor destination,
            final String... relationships) {
        return connect(source, destination.id(), "PROCESSOR", "", List.of(relationships));
    }

    /** A queue that nothing empties, labelled on the page: what arrives there stays to be looked at. */
    public FlowQueue keep(final FlowProcessor source, final String label, final String... relationships) {
        final JsonNode funnel = nifi.post("/process-groups/" + id + "/funnels", newEntity(
                Map.of("position", Map.of("x", COLUMN_WIDTH, "y", source.y()))));
        return connect(source, funnel.path("id").asText(), "FUNNEL", label, List.of(relationships));
    }

    private FlowQueue connect(final FlowProcessor source, final String destination, final String destinationType,
            final String label, final List<String> relationships) {
        final JsonNode created = nifi.post("/process-groups/" + id + "/connections", newEntity(Map.of(
                "name", label,
                "source", Map.of("id", source.id(), "groupId", id, "type", "PROCESSOR"),
                "destination", Map.of("id", destination, "groupId", id, "type", destinationType),
                "selectedRelationships", relationships)));
        return new FlowQueue(nifi, created.path("id").asText(),
                label.isEmpty() ? source.name() + " " + relationships : label);
    }

    /**
     * Puts another processor in the place of one: the connections that came and went lead to it and from it. The flow
     * must be stopped and the queues behind the old processor empty: these are made anew, with their labels.
     */
    public FlowProcessor replace(final FlowProcessor old, final Component replacement) {
        final FlowProcessor fresh = create(replacement, old.y());
        for (final JsonNode connection : nifi.get("/process-groups/" + id + "/connections").path("connections")) {
            final JsonNode component = connection.path("component");
            final String path = "/connections/" + component.path("id").asText();
            if (component.path("destination").path("id").asText().equals(old.id())) {
                nifi.put(path, Map.of("revision", connection.path("revision"), "component", Map.of(
                        "id", component.path("id"),
                        "destination", Map.of("id", fresh.id(), "groupId", id, "type", "PROCESSOR"))));
            } else if (component.path("source").path("id").asText().equals(old.id())) {
                nifi.delete(path + "?version=" + connection.path("revision").path("version").asLong());
                connect(fresh, component.path("destination").path("id").asText(),
                        component.path("destination").path("type").asText(), component.path("name").asText(),
                        NifiClient.elements(component.path("selectedRelationships")).map(JsonNode::asText).toList());
            }
        }
        old.delete();
        processors.set(processors.indexOf(old), fresh);
        return fresh;
    }

    /** The queues that {@link #keep} made under this label. */
    public FlowQueue queue(final String label) {
        return NifiClient.elements(nifi.get("/process-groups/" + id + "/connections").path("connections"))
                .map(connection -> connection.path("component"))
                .filter(component -> component.path("name").asText().equals(label))
                .map(component -> new FlowQueue(nifi, component.path("id").asText(), label))
                .findFirst()
                .orElseThrow(() -> new RuntimeFailure("The flow has no queue labelled " + label));
    }

    /** How many FlowFiles wait in each labelled queue. */
    public Map<String, Integer> queued() {
        return queueStatus().collect(Collectors.toMap(queue -> queue.path("name").asText(),
                queue -> queue.path("flowFilesQueued").asInt(), Integer::sum, TreeMap::new));
    }

    private Stream<JsonNode> queueStatus() {
        return NifiClient.elements(nifi.get("/flow/process-groups/" + id + "/status").path("processGroupStatus")
                        .path("aggregateSnapshot").path("connectionStatusSnapshots"))
                .map(entity -> entity.path("connectionStatusSnapshot"));
    }

    public void start() {
        processors.forEach(FlowProcessor::start);
    }

    void startAllBut(final Set<String> names) {
        processors.stream().filter(processor -> !names.contains(processor.name())).forEach(FlowProcessor::start);
    }

    public void stop() {
        processors.forEach(FlowProcessor::stop);
    }

    private static Map<String, Object> newEntity(final Map<String, ?> component) {
        return Map.of("revision", Map.of("version", 0), "component", component);
    }
}
