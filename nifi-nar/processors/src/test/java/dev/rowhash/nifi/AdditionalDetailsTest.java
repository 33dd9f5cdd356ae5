package dev.rowhash.nifi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowhash.nifi.jni.RowBatch;
import dev.rowhash.nifi.jni.RowHasher;
import dev.rowhash.nifi.jni.Vectors;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.nifi.annotation.behavior.WritesAttributes;
import org.apache.nifi.components.PropertyDescriptor;
import org.apache.nifi.processor.Processor;
import org.apache.nifi.processor.Relationship;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page behind Additional Details: HTML for NiFi 1.x and Markdown for NiFi 2 say the same. */
class AdditionalDetailsTest {

    private static final List<String> FORMATS = List.of("additionalDetails.md", "additionalDetails.html");
    private static final List<String> KEY = List.of("ts", "epid", "serviceid", "functiontype", "clickid");
    private static final List<String> REST = List.of("response", "userid", "comp", "suborg", "llmurl", "llmtype", "input",
            "output", "func_name", "func_name_en", "analyticsyn", "devicetype");

    @ParameterizedTest
    @ValueSource(classes = {ComputeRowHash.class, EmitLoadLog.class, ReplayLoadLog.class, PutSpringBatchMetadata.class})
    void bothFormatsSayTheSame(final Class<?> processor) throws IOException {
        final List<String> markdown = words(read(processor, "additionalDetails.md").replaceAll("(?m)^\\|[-|]+\\|$", "")
                .replaceAll("(?m)^(#+|\\d+\\.) ", "").replace("**", "").replace("`", ""));
        final List<String> html = words(text(read(processor, "additionalDetails.html")));

        assertThat(html).isEqualTo(markdown);
    }

    @ParameterizedTest
    @ValueSource(classes = {ComputeRowHash.class, EmitLoadLog.class, ReplayLoadLog.class, PutSpringBatchMetadata.class})
    void bothFormatsHaveTheSameHeadings(final Class<?> processor) throws IOException {
        assertThat(matches(read(processor, "additionalDetails.html"), "<h\\d>(.+)</h\\d>"))
                .isEqualTo(matches(read(processor, "additionalDetails.md"), "(?m)^#+ (.+)$")).hasSizeGreaterThan(5);
    }

    @ParameterizedTest
    @ValueSource(classes = {ComputeRowHash.class, EmitLoadLog.class, ReplayLoadLog.class, PutSpringBatchMetadata.class})
    void namesEachProperty(final Class<? extends Processor> processor) throws ReflectiveOperationException, IOException {
        final List<String> names = processor.getDeclaredConstructor().newInstance().getPropertyDescriptors().stream()
                .map(PropertyDescriptor::getName).toList();
        for (final String file : FORMATS) {
            assertThat(read(processor, file).replaceAll("\\s+", " ")).contains(names);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {EmitLoadLog.class, ReplayLoadLog.class, PutSpringBatchMetadata.class})
    void namesEachAttribute(final Class<?> processor) throws IOException {
        final List<String> names = Stream.of(processor.getAnnotation(WritesAttributes.class).value())
                .flatMap(attribute -> Stream.of(attribute.attribute().split(", "))).toList();
        for (final String file : FORMATS) {
            assertThat(read(processor, file)).contains(names.stream().filter(name -> !name.equals("mime.type")).toList());
        }
    }

    @Test
    void namesEachRelationshipOfAReplay() throws IOException {
        final List<String> names = new ReplayLoadLog().getRelationships().stream().map(Relationship::getName).toList();
        assertThat(read(ReplayLoadLog.class, "additionalDetails.md")).contains(names.stream().map(name -> "| `" + name + "` |")
                .toList());
    }

    @Test
    void theQueriesAreThoseThatTheProjectTests() throws IOException {
        final Path script = Path.of(Vectors.required("rowhash.vectors.directory"), "../../docs/sql/load_log/queries.trino.sql");
        final List<String> queries = Stream.of(Files.readString(script).replaceAll("(?m)^ *--.*\n", "").split(";"))
                .map(String::strip).filter(query -> !query.isEmpty()).map(query -> query + ";").toList();
        assertThat(queries).hasSize(3);
        for (final String file : FORMATS) {
            assertThat(text(read(EmitLoadLog.class, file))).contains(queries.get(0), queries.get(1));
            assertThat(text(read(ReplayLoadLog.class, file))).contains(queries.get(2));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"additionalDetails.md", "additionalDetails.html"})
    void theWorkedExampleIsRight(final String file) throws IOException {
        final Function<String, String> row = Map.of("ts", "2026-02-25 14:30:00.123", "epid", "E0001")::get;
        try (RowHasher hasher = RowHasher.open("ts, epid, clickid", "row_hash", "Compatible")) {
            final RowBatch batch = hasher.batch();
            batch.add(row);
            assertThat(read(ComputeRowHash.class, file)).contains(hasher.canonicalText(row), batch.hash().get(0).hash());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"additionalDetails.md", "additionalDetails.html"})
    void theListsOfColumnsAreThoseOfTheTable(final String file) throws IOException {
        final String hashed = String.join(",", Stream.concat(KEY.stream(), REST.stream()).toList());
        final String written = String.join(",", Stream.of(KEY, List.of("row_hash"), REST).flatMap(List::stream).toList());
        assertThat(read(ComputeRowHash.class, file)).contains(hashed, written);
    }

    /** What a reader of the HTML sees. */
    private static String text(final String html) {
        return html.replaceAll("(?s)<head>.*</head>", "").replaceAll("<[a-z/!][^>]*>", " ").replace("&lt;", "<")
                .replace("&gt;", ">").replace("&amp;", "&");
    }

    private static String read(final Class<?> processor, final String file) throws IOException {
        final String name = "docs/" + processor.getName() + "/" + file;
        try (InputStream in = ComputeRowHash.class.getClassLoader().getResourceAsStream(name)) {
            assertThat(in).as(name).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Without the marks of tables and the blanks around punctuation, which differ by format. */
    private static List<String> words(final String text) {
        return matches(text.replaceAll("[|\\s]+", " "), "[^ ]+").stream()
                .flatMap(word -> matches(word, "[\\p{L}\\p{N}_]+|[^\\p{L}\\p{N}_]").stream()).toList();
    }

    private static List<String> matches(final String text, final String pattern) {
        return Pattern.compile(pattern).matcher(text).results()
                .map((final MatchResult match) -> match.group(match.groupCount())).toList();
    }
}
