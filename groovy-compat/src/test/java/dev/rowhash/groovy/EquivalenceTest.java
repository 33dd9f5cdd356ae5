package dev.rowhash.groovy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowhash.groovy.RowGenerator.Row;
import dev.rowhash.groovy.ScriptRunner.Outcome;
import dev.rowhash.nifi.jni.HashedRow;
import dev.rowhash.nifi.jni.RowBatch;
import dev.rowhash.nifi.jni.RowHasher;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.nifi.util.MockFlowFile;
import org.junit.jupiter.api.Test;

/** Whoever swaps the script for ComputeRowHash keeps every hash. */
class EquivalenceTest {

    private static final long SEED = Long.getLong("rowhash.equivalence.seed", 20260225L);
    private static final int ROWS = Integer.getInteger("rowhash.equivalence.rows", 200_000);
    private static final int ROWS_A_ROUND = 5_000;
    private static final int DIFFERENCES_SHOWN = 5;
    private static final int CHARACTERS_SHOWN = 400;

    private static final String OWN_LIST = String.join(",", RowGenerator.CALL_COLUMNS);

    private final List<String> differences = new ArrayList<>();

    @Test
    void theScriptAndTheRustCoreGiveTheSameHashes() {
        System.out.printf("Equivalence: %,d generated rows, seed %d (another: -Drowhash.equivalence.seed=N)%n", ROWS, SEED);
        final List<Row> known = Stream.concat(
                Stream.of("row_hash.json", "pitfalls.json").flatMap(file -> Vectors.read(file).stream()).map(RowGenerator::of),
                RowGenerator.oddRows().stream()).toList();
        final RowGenerator generator = new RowGenerator(SEED);

        int compared = 0;
        try (ScriptRunner listed = ScriptRunner.withColumnsFromAttribute("row_hash.groovy");
             ScriptRunner own = new ScriptRunner("row_hash.groovy")) {
            compared += compare(known, listed);
            for (int made = 0; made < ROWS; made += ROWS_A_ROUND) {
                final List<Row> rows = Stream.generate(generator::next).limit(Math.min(ROWS_A_ROUND, ROWS - made)).toList();
                compared += compare(rows.stream().filter(row -> row.columnList() != null).toList(), listed);
                compared += compare(rows.stream().filter(row -> row.columnList() == null).toList(), own);
            }
        }

        assertThat(differences).as("differences, seed " + SEED).isEmpty();
        assertThat(compared).isEqualTo(ROWS + known.size());
        System.out.printf("Equivalence: %,d rows compared, no difference%n", compared);
    }

    @Test
    void theShadowScriptAgreesWithTheRustCore() {
        final RowGenerator generator = new RowGenerator(SEED + 1);
        final List<Row> rows = Stream.generate(generator::next).limit(ROWS_A_ROUND).toList();
        final List<Map<String, String>> hashed = new ArrayList<>();
        for (final Row row : rows) {
            final String list = row.columnList() == null ? OWN_LIST : row.columnList();
            final Map<String, String> attributes = new HashMap<>(row.attributes());
            // The FlowFile's own attributes would otherwise fill a column that the row leaves empty.
            Stream.of("filename", "path").forEach(name -> attributes.putIfAbsent(name, name + " of the flow"));
            attributes.put(ScriptRunner.COLUMNS, list);
            try (RowHasher hasher = RowHasher.open(list, "row_hash", "Compatible")) {
                final RowBatch batch = hasher.batch();
                batch.add(attributes::get);
                attributes.put("row_hash", batch.hash().get(0).hash());
            }
            hashed.add(attributes);
        }

        try (ScriptRunner shadow = ScriptRunner.withColumnsFromAttribute("row_hash_shadow.groovy")) {
            assertThat(shadow.run(hashed)).hasSize(rows.size()).allSatisfy(outcome -> {
                assertThat(outcome.attribute("error_message")).isNull();
                assertThat(outcome.relationship()).isEqualTo("success");
            });
        }
    }

    /** Runs the script, hashes the FlowFiles that come out with Rust, and says how many rows it compared. */
    private int compare(final List<Row> rows, final ScriptRunner script) {
        final List<Map<String, String>> flowFiles = new ArrayList<>(rows.size());
        for (final Row row : rows) {
            final Map<String, String> attributes = new HashMap<>(row.attributes());
            if (row.columnList() != null) {
                attributes.put(ScriptRunner.COLUMNS, row.columnList());
            }
            flowFiles.add(attributes);
        }
        final List<Outcome> outcomes = script.run(flowFiles);

        final Map<String, List<Integer>> byList = new LinkedHashMap<>();
        for (int i = 0; i < rows.size(); i++) {
            final String list = rows.get(i).columnList() == null ? OWN_LIST : rows.get(i).columnList();
            byList.computeIfAbsent(list, key -> new ArrayList<>()).add(i);
        }
        int compared = 0;
        for (final Map.Entry<String, List<Integer>> entry : byList.entrySet()) {
            try (RowHasher hasher = RowHasher.open(entry.getKey(), "row_hash", "Compatible")) {
                final RowBatch batch = hasher.batch();
                entry.getValue().forEach(i -> batch.add(outcomes.get(i).flowFile()::getAttribute));
                final List<HashedRow> hashed = batch.hash();
                for (int i = 0; i < hashed.size(); i++) {
                    final int position = entry.getValue().get(i);
                    compareOne(rows.get(position), outcomes.get(position), hashed.get(i).hash(), hasher);
                    compared++;
                }
            }
        }
        return compared;
    }

    private void compareOne(final Row row, final Outcome outcome, final String rust, final RowHasher hasher) {
        final String groovy = "success".equals(outcome.relationship()) ? outcome.attribute("row_hash") : "none, the FlowFile failed";
        if (!rust.equals(groovy) && differences.size() < DIFFERENCES_SHOWN) {
            final MockFlowFile flowFile = outcome.flowFile();
            differences.add(row.name() + ": script " + groovy + ", Rust " + rust + ", canonical text in Rust "
                    + printable(hasher.canonicalText(flowFile::getAttribute)) + ", columns " + printable(hasher.columns().toString()));
        }
    }

    /** Rows hold control characters and 100,000 characters at times. */
    private static String printable(final String text) {
        final StringBuilder printed = new StringBuilder();
        text.chars().limit(CHARACTERS_SHOWN).forEach(unit -> printed.append(unit >= ' ' && unit <= '~' ? "" + (char) unit : String.format("<%04x>", unit)));
        return text.length() > CHARACTERS_SHOWN ? printed + "... (" + text.length() + " characters)" : printed.toString();
    }
}
