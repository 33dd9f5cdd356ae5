package dev.rowhash.groovy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The golden rows of tests/vectors. */
final class Vectors {

    /** A row as a flow has it: absent and null columns are not in the map. */
    record Case(String name, List<String> columns, Map<String, String> row, String canonical, String rowHash) {

        /** The value of the property that lists the columns. */
        String columnList() {
            return String.join(",", columns);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private Vectors() {
    }

    static List<Case> read(final String file) {
        final Path path = Path.of(System.getProperty("rowhash.vectors.directory"), file);
        try {
            final List<Case> cases = new ArrayList<>();
            for (final JsonNode node : new ObjectMapper().readTree(Files.readAllBytes(path)).get("cases")) {
                cases.add(parse(node));
            }
            return cases;
        } catch (final IOException e) {
            throw new UncheckedIOException("Cannot read " + path + "; run Maven from the project's root or set -Drowhash.vectors.directory", e);
        }
    }

    private static Case parse(final JsonNode node) {
        final List<String> columns = new ArrayList<>();
        node.get("columns").forEach(column -> columns.add(column.textValue()));
        final Map<String, String> row = new LinkedHashMap<>();
        node.get("row").fields().forEachRemaining(field -> {
            if (!field.getValue().isNull()) {
                row.put(field.getKey(), text(field.getValue()));
            }
        });
        return new Case(node.get("name").textValue(), columns, row, node.get("canonical").textValue(), node.get("row_hash").textValue());
    }

    private static String text(final JsonNode value) {
        if (value.isTextual()) {
            return value.textValue();
        }
        final StringBuilder units = new StringBuilder();
        value.get("utf16").forEach(unit -> units.append((char) unit.intValue()));
        return units.toString();
    }
}
