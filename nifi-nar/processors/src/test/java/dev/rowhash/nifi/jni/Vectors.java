package dev.rowhash.nifi.jni;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The golden rows of tests/vectors and the report of what one leg made of them. */
public final class Vectors {

    /** A golden row; {@code form} as the property Canonical Form spells it. */
    public record Case(String form, String name, List<String> columns, Map<String, String> row, String canonical,
                       String rowHash) {
        public String columnList() {
            return String.join(", ", columns);
        }

        @Override
        public String toString() {
            return form + " " + name;
        }
    }

    private Vectors() {
    }

    public static List<Case> read(final String file) {
        final Path path = Path.of(required("rowhash.vectors.directory"), file);
        try {
            final JsonNode root = new ObjectMapper().readTree(path.toFile());
            final String form = root.path("form").asText().equals("escaped") ? "Escaped" : "Compatible";
            final List<Case> cases = new ArrayList<>();
            for (final JsonNode node : root.path("cases")) {
                final List<String> columns = new ArrayList<>();
                node.path("columns").forEach(name -> columns.add(name.asText()));
                final Map<String, String> row = new HashMap<>();
                node.path("row").fields().forEachRemaining(field -> row.put(field.getKey(), text(field.getValue())));
                cases.add(new Case(form, node.path("name").asText(), columns, row, node.path("canonical").asText(),
                        node.path("row_hash").asText()));
            }
            if (cases.isEmpty()) {
                throw new IllegalStateException(path + " holds no cases");
            }
            return cases;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static Stream<Case> all() {
        return Stream.of("row_hash.json", "pitfalls.json", "escaped.json").flatMap(file -> read(file).stream());
    }

    /** Writes the hashes that a leg gave, right or wrong, for the table of all legs. */
    public static void report(final String leg, final Map<String, String> hashes) {
        final Path report = Path.of(required("rowhash.vectors.report"), leg + ".tsv");
        try {
            Files.createDirectories(report.getParent());
            Files.write(report, hashes.entrySet().stream().map(one -> one.getKey() + "\t" + one.getValue()).toList());
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(final JsonNode value) {
        if (value.isNull()) {
            return null;
        }
        if (value.isTextual()) {
            return value.asText();
        }
        final StringBuilder text = new StringBuilder();
        value.path("utf16").forEach(unit -> text.append((char) unit.asInt()));
        return text.toString();
    }

    public static String required(final String property) {
        final String value = System.getProperty(property);
        if (value == null) {
            throw new IllegalStateException("the system property " + property + " is not set: run the tests with Maven");
        }
        return value;
    }
}
