package dev.rowhash.nifi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowhash.nifi.jni.RowBatch;
import dev.rowhash.nifi.jni.RowHasher;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.nifi.components.PropertyDescriptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page behind Additional Details: HTML for NiFi 1.x and Markdown for NiFi 2 say the same. */
class AdditionalDetailsTest {

    private static final List<String> KEY = List.of("ts", "epid", "serviceid", "functiontype", "clickid");
    private static final List<String> REST = List.of("response", "userid", "comp", "suborg", "llmurl", "llmtype", "input",
            "output", "func_name", "func_name_en", "analyticsyn", "devicetype");

    @Test
    void bothFormatsSayTheSame() throws IOException {
        final List<String> markdown = words(read("additionalDetails.md").replaceAll("(?m)^\\|[-|]+\\|$", "")
                .replaceAll("(?m)^(#+|\\d+\\.) ", "").replace("**", "").replace("`", ""));
        final List<String> html = words(read("additionalDetails.html").replaceAll("(?s)<head>.*</head>", "")
                .replaceAll("<[^>]+>", " ").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"));

        assertThat(html).isEqualTo(markdown);
    }

    @Test
    void bothFormatsHaveTheSameHeadings() throws IOException {
        assertThat(matches(read("additionalDetails.html"), "<h\\d>(.+)</h\\d>"))
                .isEqualTo(matches(read("additionalDetails.md"), "(?m)^#+ (.+)$")).hasSizeGreaterThan(5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"additionalDetails.md", "additionalDetails.html"})
    void namesEachProperty(final String file) throws IOException {
        final List<String> names = new ComputeRowHash().getPropertyDescriptors().stream().map(PropertyDescriptor::getName)
                .toList();
        assertThat(read(file)).contains(names);
    }

    @ParameterizedTest
    @ValueSource(strings = {"additionalDetails.md", "additionalDetails.html"})
    void theWorkedExampleIsRight(final String file) throws IOException {
        final Function<String, String> row = Map.of("ts", "2026-02-25 14:30:00.123", "epid", "E0001")::get;
        try (RowHasher hasher = RowHasher.open("ts, epid, clickid", "row_hash", "Compatible")) {
            final RowBatch batch = hasher.batch();
            batch.add(row);
            assertThat(read(file)).contains(hasher.canonicalText(row), batch.hash().get(0).hash());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"additionalDetails.md", "additionalDetails.html"})
    void theListsOfColumnsAreThoseOfTheTable(final String file) throws IOException {
        final String hashed = String.join(",", Stream.concat(KEY.stream(), REST.stream()).toList());
        final String written = String.join(",", Stream.of(KEY, List.of("row_hash"), REST).flatMap(List::stream).toList());
        assertThat(read(file)).contains(hashed, written);
    }

    private static String read(final String file) throws IOException {
        final String name = "docs/" + ComputeRowHash.class.getName() + "/" + file;
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
