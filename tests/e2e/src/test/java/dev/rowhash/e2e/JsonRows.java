package dev.rowhash.e2e;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rowhash.runtime.NasCall;
import dev.rowhash.runtime.NasCallTable.StoredCall;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The rows that a flow without Kudu wrote, one JSON object a file. */
final class JsonRows {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TypeReference<Map<String, String>> ROW = new TypeReference<>() {
    };

    private JsonRows() {
    }

    static List<StoredCall> read(final Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(JsonRows::row).toList();
        }
    }

    private static StoredCall row(final Path file) {
        try {
            final Map<String, String> row = JSON.readValue(file.toFile(), ROW);
            return new StoredCall(new NasCall(NasCall.COLUMNS.stream().map(row::get).toList()), row.get(NasCall.ROW_HASH));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
