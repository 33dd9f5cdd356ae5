package dev.rowhash.nifi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.nifi.util.MockFlowFile;

/** The two tables as upserts fill them: a later record with the same key takes the place of an earlier one. */
final class LoadLogTables {

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final List<String> KEY = List.of("src_type", "regn", "db_name", "table_name", "base_dts");

    private final Map<List<String>, JsonNode> masters = new LinkedHashMap<>();
    private final Map<List<String>, Map<Integer, JsonNode>> details = new LinkedHashMap<>();
    private final List<String> statuses = new ArrayList<>();

    void upsertMasters(final MockFlowFile flowFile) {
        for (final JsonNode record : records(flowFile)) {
            masters.put(key(record), record);
            statuses.add(record.get("status").textValue());
        }
    }

    void upsertDetails(final MockFlowFile flowFile) {
        for (final JsonNode record : records(flowFile)) {
            final Map<Integer, JsonNode> rows = details.computeIfAbsent(key(record), key -> new TreeMap<>());
            rows.merge(record.get("detail_seq").intValue(), record, LoadLogTables::upserted);
        }
    }

    /** Columns that the new record lacks stay as they are. */
    private static JsonNode upserted(final JsonNode row, final JsonNode record) {
        return ((ObjectNode) row.deepCopy()).setAll((ObjectNode) record);
    }

    static List<JsonNode> records(final MockFlowFile flowFile) {
        final List<JsonNode> records = new ArrayList<>();
        for (final String line : flowFile.getContent().split("\n")) {
            try {
                records.add(MAPPER.readTree(line));
            } catch (final JsonProcessingException e) {
                throw new AssertionError(line, e);
            }
        }
        flowFile.assertAttributeEquals("record.count", Integer.toString(records.size()));
        flowFile.assertAttributeEquals("mime.type", "application/x-ndjson");
        return records;
    }

    /** The statuses of all master records, in the order they came. */
    List<String> statuses() {
        return statuses;
    }

    /** For example {@code PARTIAL 3 = 2 + 1}. */
    String master(final String... baseDts) {
        final JsonNode master = masterRecord(baseDts);
        return master.get("status").textValue() + " " + master.get("src_count") + " = " + master.get("load_count") + " + "
                + master.get("error_count");
    }

    JsonNode masterRecord(final String... baseDts) {
        return only(masters, baseDts);
    }

    int batches() {
        return masters.size();
    }

    Map<Integer, JsonNode> details(final String... baseDts) {
        return details.isEmpty() ? Map.of() : only(details, baseDts);
    }

    JsonNode detail(final int seq) {
        final JsonNode detail = details().get(seq);
        assertThat(detail).as("detail_seq %d of %s", seq, details().keySet()).isNotNull();
        return detail;
    }

    private static <T> T only(final Map<List<String>, T> rows, final String... baseDts) {
        final List<T> found = rows.entrySet().stream()
                .filter(row -> baseDts.length == 0 || row.getKey().get(4).equals(baseDts[0])).map(Map.Entry::getValue).toList();
        assertThat(found).as("batches %s", rows.keySet()).hasSize(1);
        return found.get(0);
    }

    private static List<String> key(final JsonNode record) {
        return KEY.stream().map(column -> record.get(column).textValue()).toList();
    }
}
