package dev.rowhash.nifi.kudu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.nifi.annotation.behavior.WritesAttributes;
import org.apache.nifi.components.PropertyDescriptor;
import org.apache.nifi.processor.Relationship;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page behind Additional Details: HTML for NiFi 1.x and Markdown for NiFi 2 say the same. */
class AdditionalDetailsTest {

    private static final String MARKDOWN = "additionalDetails.md";
    private static final String HTML = "additionalDetails.html";

    @Test
    void bothFormatsSayTheSame() throws IOException {
        final String markdown = read(MARKDOWN).replaceAll("(?m)^\\|[-|]+\\|$", "").replaceAll("(?m)^#+ ", "").replace("`", "");
        final String html = read(HTML).replaceAll("(?s)<head>.*</head>", "").replaceAll("<[a-z/!][^>]*>", " ")
                .replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");

        assertThat(words(html)).isEqualTo(words(markdown));
        assertThat(matches(read(HTML), "<h\\d>(.+)</h\\d>")).isEqualTo(matches(read(MARKDOWN), "(?m)^#+ (.+)$"))
                .hasSizeGreaterThan(5);
    }

    @ParameterizedTest
    @ValueSource(strings = {MARKDOWN, HTML})
    void namesEachPropertyRelationshipAndAttribute(final String file) throws IOException {
        final String text = read(file).replaceAll("\\s+", " ");
        assertThat(text).contains(new UpsertKudu().getPropertyDescriptors().stream().map(PropertyDescriptor::getName).toList());
        assertThat(text).contains(new UpsertKudu().getRelationships().stream().map(Relationship::getName).toList());
        assertThat(text).contains(Stream.of(UpsertKudu.class.getAnnotation(WritesAttributes.class).value())
                .map(attribute -> attribute.attribute()).toList());
        assertThat(text).contains(OperationType.NAMES);
    }

    private static String read(final String file) throws IOException {
        final String name = "docs/" + UpsertKudu.class.getName() + "/" + file;
        try (InputStream in = UpsertKudu.class.getClassLoader().getResourceAsStream(name)) {
            assertThat(in).as(name).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Without the marks of tables and the blanks around punctuation, which differ by format. */
    private static List<String> words(final String text) {
        return matches(text.replaceAll("[|\\s]+", " "), "[\\p{L}\\p{N}_]+|[^\\p{L}\\p{N}_ ]");
    }

    private static List<String> matches(final String text, final String pattern) {
        return Pattern.compile(pattern).matcher(text).results()
                .map((final MatchResult match) -> match.group(match.groupCount())).toList();
    }
}
