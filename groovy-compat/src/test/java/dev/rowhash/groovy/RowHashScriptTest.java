package dev.rowhash.groovy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowhash.groovy.ScriptRunner.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RowHashScriptTest {

    private static final ScriptRunner ANY_TABLE = ScriptRunner.withColumnsFromAttribute("row_hash.groovy");

    @AfterAll
    static void stop() {
        ANY_TABLE.close();
    }

    static Stream<Vectors.Case> goldenRows() {
        return Stream.of("row_hash.json", "pitfalls.json").flatMap(file -> Vectors.read(file).stream());
    }

    @ParameterizedTest
    @MethodSource("goldenRows")
    void givesTheGoldenHash(final Vectors.Case golden) {
        final Map<String, String> attributes = new HashMap<>(golden.row());
        attributes.put(ScriptRunner.COLUMNS, golden.columnList());

        final Outcome outcome = ANY_TABLE.run(attributes);

        assertThat(outcome.relationship()).as(ANY_TABLE.errors()).isEqualTo("success");
        assertThat(outcome.attribute("row_hash")).isEqualTo(golden.rowHash());
    }

    /** The hashes for the table of all legs: what the script gave, right or wrong. */
    @Test
    void givesTheGoldenHashWithTheListInThePropertyAndReportsIt() throws IOException {
        final List<String> lines = new ArrayList<>();
        final List<String> goldenLines = new ArrayList<>();
        for (final Vectors.Case golden : Vectors.read("row_hash.json")) {
            goldenLines.add(golden.name() + "\t" + golden.rowHash());
            try (ScriptRunner script = new ScriptRunner("row_hash.groovy", golden.columnList())) {
                lines.add(golden.name() + "\t" + script.run(golden.row()).attribute("row_hash"));
            }
        }
        final Path report = Path.of(System.getProperty("rowhash.vectors.report"), "groovy.tsv");
        Files.createDirectories(report.getParent());
        Files.write(report, lines);

        assertThat(lines).isEqualTo(goldenLines).isNotEmpty();
    }

    @Test
    void hashesTheCallTableWithoutAColumnList() {
        final List<Vectors.Case> calls = goldenRows().filter(golden -> golden.columns().size() == 17 && golden.columns().contains("clickid")).toList();
        try (ScriptRunner script = new ScriptRunner("row_hash.groovy")) {
            for (final Vectors.Case call : calls) {
                assertThat(script.run(call.row()).attribute("row_hash")).as(call.name()).isEqualTo(call.rowHash());
            }
        }
        assertThat(calls).hasSizeGreaterThanOrEqualTo(5);
    }

    @Test
    void blanksAndLineBreaksAroundAListedNameDoNotCount() {
        try (ScriptRunner script = new ScriptRunner("row_hash.groovy", " b ,\n\ta")) {
            assertThat(script.run(Map.of("a", "x", "b", "y")).attribute("row_hash")).isEqualTo(md5OfXBarY());
        }
    }

    /** Of {@code x|y}, as escaped.json has it: without a mark in the values both forms agree. */
    private static String md5OfXBarY() {
        return Vectors.read("escaped.json").stream().filter(golden -> golden.canonical().equals("x|y")).findFirst().orElseThrow().rowHash();
    }

    @Test
    void aSecondRunReplacesAStaleHashAndChangesNothingElse() {
        try (ScriptRunner script = new ScriptRunner("row_hash.groovy", "a,b")) {
            final Outcome outcome = script.run(Map.of("a", "x", "b", "y", "row_hash", "stale", "other", "z"));

            assertThat(outcome.attribute("row_hash")).isEqualTo(md5OfXBarY());
            assertThat(outcome.flowFile().getAttributes()).containsEntry("a", "x").containsEntry("b", "y").containsEntry("other", "z");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a,b,a", "a,,b", "a,", "a,row_hash"})
    void aWrongColumnListSendsTheFlowFileToFailureAndSaysWhyInTheLog(final String columnList) {
        try (ScriptRunner script = new ScriptRunner("row_hash.groovy", columnList)) {
            final Outcome outcome = script.run(Map.of("a", "x", "b", "y"));

            assertThat(outcome.relationship()).isEqualTo("failure");
            assertThat(outcome.attribute("row_hash")).isNull();
            assertThat(script.errors()).contains("No row_hash for").contains("remove");
        }
    }

    @Test
    void anEmptyQueueIsNotAnError() {
        try (ScriptRunner script = new ScriptRunner("row_hash.groovy")) {
            script.testRunner().run();

            assertThat(script.errors()).isEmpty();
        }
    }
}
