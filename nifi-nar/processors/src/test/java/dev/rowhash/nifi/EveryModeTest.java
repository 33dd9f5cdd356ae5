package dev.rowhash.nifi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rowhash.nifi.RecordServices.KeepingWriter;
import dev.rowhash.nifi.RecordServices.ListReader;
import dev.rowhash.nifi.jni.Vectors;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.nifi.serialization.SimpleRecordSchema;
import org.apache.nifi.serialization.record.MapRecord;
import org.apache.nifi.serialization.record.RecordField;
import org.apache.nifi.serialization.record.RecordFieldType;
import org.apache.nifi.util.TestRunner;
import org.apache.nifi.util.TestRunners;
import org.junit.jupiter.api.Test;

/** One row has one hash, wherever it is: the golden rows through each Row Source of ComputeRowHash. */
class EveryModeTest {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** Each way a row can come; none where it cannot hold that row. */
    private static final Map<String, Function<Vectors.Case, Optional<String>>> MODES = new LinkedHashMap<>();

    static {
        MODES.put("FlowFile Attributes", golden -> Optional.of(inAttributes(golden)));
        MODES.put("Records", golden -> Optional.of(inRecords(golden)));
        MODES.put("NDJSON Content", golden -> Optional.of(inNdjson(golden)));
        MODES.put("Delimited Content", golden -> Optional.of(inDelimited(golden)));
        MODES.put("Delimited Content, Same as Input", golden -> Optional.of(inDelimitedTwice(golden)));
        MODES.put("Delimited Content without quotes", EveryModeTest::inPlainLine);
        MODES.put("Pattern Content", EveryModeTest::byPattern);
    }

    @Test
    void eachGoldenRowHasItsHashInEveryMode() {
        final Map<String, String> reported = new LinkedHashMap<>();
        Vectors.read("row_hash.json").forEach(golden -> reported.put(golden.name(), String.join(" or ", hashes(golden))));
        Vectors.report(Vectors.required("rowhash.vectors.leg"), reported);

        final List<Vectors.Case> all = Vectors.all().filter(golden -> !golden.columnList().contains("${")).toList();
        final Map<String, Integer> counted = new LinkedHashMap<>();
        final List<String> wrong = new ArrayList<>();
        for (final Vectors.Case golden : all) {
            MODES.forEach((mode, hash) -> hash.apply(golden).ifPresent(actual -> {
                counted.merge(mode, 1, Integer::sum);
                if (!actual.equals(golden.rowHash())) {
                    wrong.add(golden + " in " + mode + ": " + actual);
                }
            }));
        }
        assertThat(wrong).isEmpty();
        assertThat(counted.keySet()).isEqualTo(MODES.keySet());
        assertThat(counted.entrySet().stream().limit(5)).allSatisfy(mode -> assertThat(mode.getValue()).isEqualTo(all.size()));
        assertThat(counted.values()).allSatisfy(count -> assertThat(count).isGreaterThan(all.size() / 2));
    }

    private static Set<String> hashes(final Vectors.Case golden) {
        return MODES.values().stream().map(mode -> mode.apply(golden)).flatMap(Optional::stream)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static String inAttributes(final Vectors.Case golden) {
        final TestRunner runner = runner(golden, "FlowFile Attributes");
        final Map<String, String> attributes = new HashMap<>(golden.row());
        attributes.values().removeIf(Objects::isNull);
        runner.enqueue(new byte[0], attributes);
        runner.run();
        runner.assertAllFlowFilesTransferred("success", 1);
        return runner.getFlowFilesForRelationship("success").get(0).getAttribute("row_hash");
    }

    private static String inRecords(final Vectors.Case golden) {
        final List<RecordField> fields = Stream.concat(golden.columns().stream(), golden.row().keySet().stream()).distinct()
                .filter(name -> !name.equals("row_hash"))
                .map(name -> new RecordField(name, RecordFieldType.STRING.getDataType())).toList();
        final SimpleRecordSchema schema = new SimpleRecordSchema(fields);
        final KeepingWriter writer = new KeepingWriter();
        final TestRunner runner = runner(golden, "Records");
        RecordServices.use(runner, new ListReader(schema, List.of(new MapRecord(schema, new HashMap<>(golden.row())))), writer);
        runner.enqueue("content");
        runner.run();
        runner.assertAllFlowFilesTransferred("success", 1);
        return writer.records.get(0).getAsString("row_hash");
    }

    private static String inNdjson(final Vectors.Case golden) {
        final StringBuilder json = new StringBuilder();
        golden.row().forEach((name, value) -> json.append(json.length() == 0 ? "{" : ",").append(json(name)).append(':')
                .append(value == null ? "null" : json(value)));
        return hash(runner(golden, "NDJSON Content"), (json.length() == 0 ? "{" : json) + "}");
    }

    private static String inDelimited(final Vectors.Case golden) {
        return hash(runner(golden, "Delimited Content"), quoted(golden.columns()) + "\n" + quoted(values(golden)) + "\n");
    }

    private static String inDelimitedTwice(final Vectors.Case golden) {
        final TestRunner runner = runner(golden, "Delimited Content");
        runner.setProperty("Output Format", "Same as Input");
        final String content = run(runner, quoted(golden.columns()) + "\n" + quoted(values(golden)) + "\n");
        return content.substring(content.lastIndexOf(',') + 1).strip().replace("\"", "");
    }

    private static Optional<String> inPlainLine(final Vectors.Case golden) {
        if (!fitsALine(golden)) {
            return Optional.empty();
        }
        final TestRunner runner = runner(golden, "Delimited Content");
        runner.setProperty("Quoting", "None");
        runner.setProperty("Delimiter", "\\u0001");
        runner.setProperty("Header", golden.columnList());
        return Optional.of(hash(runner, line(golden)));
    }

    private static Optional<String> byPattern(final Vectors.Case golden) {
        if (!fitsALine(golden) || !golden.columns().stream().allMatch(name -> name.matches("[A-Za-z_][A-Za-z0-9_]*"))) {
            return Optional.empty();
        }
        final TestRunner runner = runner(golden, "Pattern Content");
        runner.setProperty("Pattern", golden.columns().stream().map(name -> "(?<" + name + ">[^\\x01]*)")
                .collect(Collectors.joining("\\x01", "^", "$")));
        return Optional.of(hash(runner, line(golden)));
    }

    /** No line can hold a line break, be blank, or begin a content with a byte order mark that is data. */
    private static boolean fitsALine(final Vectors.Case golden) {
        return values(golden).stream().noneMatch(value -> value.matches("(?s).*[\\r\\n\\x01].*")) && !line(golden).equals("\n")
                && !line(golden).startsWith("\uFEFF");
    }

    private static String line(final Vectors.Case golden) {
        return String.join("\u0001", values(golden)) + "\n";
    }

    private static List<String> values(final Vectors.Case golden) {
        return golden.columns().stream().map(name -> Objects.requireNonNullElse(golden.row().get(name), "")).toList();
    }

    private static String quoted(final List<String> values) {
        return values.stream().map(value -> '"' + value.replace("\"", "\"\"") + '"').collect(Collectors.joining(","));
    }

    private static String json(final String text) {
        try {
            // Half a surrogate pair has no bytes of its own, and does have an escape.
            return MAPPER.writer().with(JsonWriteFeature.ESCAPE_NON_ASCII).writeValueAsString(text);
        } catch (final JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private static TestRunner runner(final Vectors.Case golden, final String rowSource) {
        final TestRunner runner = TestRunners.newTestRunner(new ComputeRowHash());
        runner.setProperty("Row Source", rowSource);
        runner.setProperty("Columns", golden.columnList());
        runner.setProperty("Canonical Form", golden.form());
        runner.setProperty("Rows Without Values", "Allow");
        runner.setProperty("Maximum Line Length", "64 MB");
        return runner;
    }

    private static String run(final TestRunner runner, final String content) {
        runner.enqueue(content.getBytes(StandardCharsets.UTF_8));
        runner.run();
        runner.assertAllFlowFilesTransferred("success", 1);
        return runner.getFlowFilesForRelationship("success").get(0).getContent();
    }

    private static String hash(final TestRunner runner, final String content) {
        final String hashed = run(runner, content);
        final Matcher hash = Pattern.compile("\"row_hash\":\"([0-9a-f]{32})\"").matcher(hashed);
        assertThat(hash.find()).as("%s becomes %s", content, hashed).isTrue();
        return hash.group(1);
    }
}
