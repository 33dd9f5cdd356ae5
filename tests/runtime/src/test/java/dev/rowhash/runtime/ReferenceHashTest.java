package dev.rowhash.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class ReferenceHashTest {
    @TestFactory
    Stream<DynamicTest> theReferenceAgreesWithTheGoldenVectors() throws IOException {
        final Path vectors = Path.of(System.getProperty("rowhash.vectors.directory"), "row_hash.json");
        final JsonNode cases = new ObjectMapper().readTree(vectors.toFile()).path("cases");
        return StreamSupport.stream(cases.spliterator(), false).map(vector ->
                DynamicTest.dynamicTest(vector.path("name").asText(), () ->
                        assertThat(ReferenceHash.of(row(vector))).isEqualTo(vector.path("row_hash").asText())));
    }

    private static Map<String, String> row(final JsonNode vector) {
        final Map<String, String> row = new HashMap<>();
        vector.path("columns").forEach(column ->
                row.put(column.asText(), vector.path("row").path(column.asText()).textValue()));
        return row;
    }
}
