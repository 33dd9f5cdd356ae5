package dev.rowhash.groovy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowhash.groovy.ScriptRunner.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShadowScriptTest {

    private static final String SHADOW = "row_hash_shadow.groovy";

    private static List<Vectors.Case> goldenRows() {
        return Stream.of("row_hash.json", "pitfalls.json").flatMap(file -> Vectors.read(file).stream()).toList();
    }

    private static Map<String, String> with(final Map<String, String> row, final String name, final String value) {
        final Map<String, String> changed = new HashMap<>(row);
        changed.put(name, value);
        return changed;
    }

    private static String md5(final String text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (final NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void passesEachGoldenHashAndChangesNothing() {
        try (ScriptRunner shadow = ScriptRunner.withColumnsFromAttribute(SHADOW)) {
            final List<Map<String, String>> hashed = goldenRows().stream()
                    .map(golden -> with(with(golden.row(), "row_hash", golden.rowHash()), ScriptRunner.COLUMNS, golden.columnList())).toList();

            final List<Outcome> outcomes = shadow.run(hashed);

            for (int i = 0; i < hashed.size(); i++) {
                final Map<String, String> expected = new HashMap<>(hashed.get(i));
                expected.remove("uuid");
                assertThat(outcomes.get(i).relationship()).as(goldenRows().get(i).name()).isEqualTo("success");
                assertThat(outcomes.get(i).flowFile().getAttributes()).containsAllEntriesOf(expected)
                        .doesNotContainKeys("error_message", "error_processor");
            }
            assertThat(shadow.testRunner().getCounterValue("row_hash equal")).isEqualTo(hashed.size());
            assertThat(shadow.testRunner().getCounterValue("row_hash different")).isNull();
        }
    }

    @Test
    void agreesWithTheRowHashScript() {
        final List<Map<String, String>> rows = goldenRows().stream().map(golden -> with(golden.row(), ScriptRunner.COLUMNS, golden.columnList())).toList();
        try (ScriptRunner script = ScriptRunner.withColumnsFromAttribute("row_hash.groovy");
             ScriptRunner shadow = ScriptRunner.withColumnsFromAttribute(SHADOW)) {
            final List<Map<String, String>> hashed = script.run(rows).stream().map(outcome -> outcome.flowFile().getAttributes()).toList();

            assertThat(shadow.run(hashed)).extracting(Outcome::relationship).hasSize(rows.size()).containsOnly("success");
        }
    }

    @Test
    void bothScriptsHaveTheSameLinesForTheCanonicalRow() throws IOException {
        assertThat(canonicalRowLines(SHADOW)).isEqualTo(canonicalRowLines("row_hash.groovy")).hasSizeGreaterThan(20);
    }

    private static List<String> canonicalRowLines(final String script) throws IOException {
        final List<String> lines = Files.readAllLines(Path.of("src/main/groovy", script));
        final int start = lines.indexOf("// ---- The canonical row: the same lines in row_hash.groovy and row_hash_shadow.groovy ----");
        final int end = lines.indexOf("// ---- End of the canonical row ----");
        assertThat(start).isNotNegative();
        return lines.subList(start, end + 1);
    }

    @Test
    void aChangedHashFailsWithBothHashesAndTheText() {
        final Vectors.Case call = Vectors.read("row_hash.json").get(0);
        final String changed = call.rowHash().replaceFirst(".", call.rowHash().startsWith("0") ? "1" : "0");
        try (ScriptRunner shadow = new ScriptRunner(SHADOW)) {
            final Outcome outcome = shadow.run(with(call.row(), "row_hash", changed));

            assertThat(outcome.relationship()).isEqualTo("failure");
            assertThat(outcome.attribute("error_message")).contains(changed, call.rowHash(), call.canonical());
            assertThat(outcome.attribute("error_processor")).isEqualTo(ScriptRunner.PROCESSOR_NAME);
            assertThat(outcome.attribute("row_hash")).isEqualTo(changed);
            assertThat(outcome.flowFile().getAttributes()).containsAllEntriesOf(call.row());
            assertThat(shadow.testRunner().getCounterValue("row_hash different")).isEqualTo(1);
        }
    }

    @Test
    void aMissingOrEmptyHashFailsWithTheHashThatShouldBeThere() {
        final Vectors.Case call = Vectors.read("row_hash.json").get(0);
        try (ScriptRunner shadow = new ScriptRunner(SHADOW)) {
            for (final Map<String, String> row : List.of(call.row(), with(call.row(), "row_hash", ""))) {
                final Outcome outcome = shadow.run(row);

                assertThat(outcome.relationship()).isEqualTo("failure");
                assertThat(outcome.attribute("error_message")).startsWith("row_hash is missing").contains(call.rowHash());
                assertThat(outcome.attribute("row_hash")).isEqualTo(row.get("row_hash"));
            }
        }
    }

    @Test
    void aChangeInAnyColumnFails() {
        final Vectors.Case call = Vectors.read("row_hash.json").get(0);
        final List<Map<String, String>> changed = new ArrayList<>();
        for (final String column : call.columns()) {
            changed.add(with(with(call.row(), "row_hash", call.rowHash()), column, call.row().get(column) + " "));
            changed.add(with(with(call.row(), "row_hash", call.rowHash()), column, ""));
        }
        try (ScriptRunner shadow = new ScriptRunner(SHADOW)) {
            assertThat(shadow.run(changed)).hasSize(34).allSatisfy(outcome -> {
                assertThat(outcome.relationship()).isEqualTo("failure");
                assertThat(outcome.attribute("error_message")).contains(call.rowHash());
                assertThat(outcome.attribute("row_hash")).isEqualTo(call.rowHash());
            });
        }
    }

    static Stream<Arguments> usualReasons() {
        final String columns = "b,a";
        return Stream.of(
                Arguments.of(columns, Map.of("a", "x|y", "b", "z"), md5("x\\|y|z"), "escaped form"),
                Arguments.of(columns, Map.of("a", "x"), md5("x|"), "empty values left empty"),
                Arguments.of(columns, Map.of("a", " x", "b", "  "), md5("x|\\N"), "trimmed values"),
                Arguments.of(columns, Map.of("a", "x", "b", "y"), md5("y|x"), "as listed, not sorted"),
                Arguments.of(columns, Map.of("a", "x", "b", "y"), md5("x"), "without b: add it"),
                Arguments.of(columns, Map.of("a", "x", "b", "y"), md5("y"), "without a: add it"),
                Arguments.of(columns, Map.of("a", "x", "b", "y"), md5("\\N|y"), "with an empty a"),
                Arguments.of(columns, Map.of("a", "x", "b", "y"), md5("x|\\N"), "with an empty b"),
                Arguments.of(columns, Map.of("a", "x", "b", "y", "aa", "z"), md5("x|z|y"), "with aa as one more column"),
                Arguments.of(columns, Map.of("a", "x", "b", "y"), md5("x|y").toUpperCase(), "32 lower-case hexadecimal digits"),
                Arguments.of(columns, Map.of("a", "x", "b", "y"), "z".repeat(5000), "32 lower-case hexadecimal digits"),
                Arguments.of(columns, Map.of("a", "x", "b", "y"), md5("other"), "an attribute was changed"));
    }

    @ParameterizedTest
    @MethodSource("usualReasons")
    void namesTheUsualReasonsOfADifference(final String columns, final Map<String, String> row, final String upstream, final String reason) {
        try (ScriptRunner shadow = new ScriptRunner(SHADOW, columns)) {
            final Outcome outcome = shadow.run(with(row, "row_hash", upstream));

            assertThat(outcome.relationship()).isEqualTo("failure");
            assertThat(outcome.attribute("error_message")).contains(reason).hasSizeLessThan(500);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x"})
    void aLongTextIsCutBetweenCharacters(final String before) {
        try (ScriptRunner shadow = new ScriptRunner(SHADOW, "a")) {
            final String message = shadow.run(Map.of("a", before + "\uD83D\uDE00".repeat(40_000), "row_hash", "0".repeat(32))).attribute("error_message");

            assertThat(message).hasSizeBetween(1000, 1500).contains("characters)");
            assertThat(StandardCharsets.UTF_8.newEncoder().canEncode(message)).as("no half of a pair").isTrue();
        }
    }

    @Test
    void aWrongColumnListFailsWithTheReason() {
        try (ScriptRunner shadow = new ScriptRunner(SHADOW, "a,b,a")) {
            final Outcome outcome = shadow.run(Map.of("a", "x", "row_hash", md5("x|\\N")));

            assertThat(outcome.relationship()).isEqualTo("failure");
            assertThat(outcome.attribute("error_message")).contains("not compared").contains("lists a twice");
            assertThat(shadow.errors()).contains("lists a twice");
        }
    }
}
