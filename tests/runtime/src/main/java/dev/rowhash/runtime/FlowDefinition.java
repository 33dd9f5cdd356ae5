package dev.rowhash.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** A flow definition file, and the values that its parameters get here. */
public final class FlowDefinition {
    private final Path file;
    private final Map<String, String> parameters = new TreeMap<>();

    private FlowDefinition(final Path file) {
        this.file = file;
    }

    /** {@code path}: below the project's folder. */
    public static FlowDefinition read(final String path) {
        return new FlowDefinition(Project.root().resolve(path));
    }

    public FlowDefinition set(final String parameter, final String value) {
        parameters.put(parameter, value);
        return this;
    }

    /** Imports it, beside a group that {@link Flow#create} made, as a group with a parameter context of that name, and enables its controller services. */
    public Flow upload(final NifiClient nifi, final String name) {
        final JsonNode group = nifi.upload("/process-groups/root/process-groups/upload",
                Map.of("groupName", name, "positionX", "500", "positionY", "0", "clientId", name), named(name));
        final Flow flow = Flow.of(nifi, group.path("id").asText());
        flow.enableServices();
        return flow;
    }

    /** The parameter context is named after the group: NiFi keeps the values of one that it has. */
    private byte[] named(final String name) {
        try {
            final ObjectNode definition = (ObjectNode) NifiClient.JSON.readTree(file.toFile());
            final ObjectNode group = (ObjectNode) definition.path("flowContents");
            final ObjectNode contexts = (ObjectNode) definition.path("parameterContexts");
            final ObjectNode context = (ObjectNode) contexts.remove(group.path("parameterContextName").asText());
            context.put("name", name);
            contexts.set(name, context);
            group.put("parameterContextName", name);
            parameters.forEach((parameter, value) -> parameter(context, parameter).put("value", value));
            return NifiClient.JSON.writeValueAsBytes(definition);
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot read the flow definition " + file, e);
        }
    }

    private ObjectNode parameter(final JsonNode context, final String name) {
        return NifiClient.elements(context.path("parameters"))
                .filter(parameter -> parameter.path("name").asText().equals(name))
                .map(ObjectNode.class::cast)
                .findFirst()
                .orElseThrow(() -> new RuntimeFailure(file + " has no parameter " + name));
    }
}
