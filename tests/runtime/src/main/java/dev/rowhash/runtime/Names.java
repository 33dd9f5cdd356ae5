package dev.rowhash.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;

/** Turns the property names that the page shows into those that the API wants. */
final class Names {
    private Names() {
    }

    /** A name that no descriptor shows stays as it is: a dynamic property. */
    static Map<String, String> apiNames(final Map<String, String> properties, final JsonNode descriptors) {
        final Map<String, String> byShownName = new LinkedHashMap<>();
        descriptors.forEach(descriptor ->
                byShownName.put(descriptor.path("displayName").asText(), descriptor.path("name").asText()));
        final Map<String, String> result = new LinkedHashMap<>();
        properties.forEach((name, value) -> result.put(byShownName.getOrDefault(name, name), value));
        return result;
    }
}
