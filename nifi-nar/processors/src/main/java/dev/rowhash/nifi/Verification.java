package dev.rowhash.nifi;

import dev.rowhash.nifi.jni.NativeLibrary;
import dev.rowhash.nifi.jni.RowBatch;
import dev.rowhash.nifi.jni.RowHashException;
import dev.rowhash.nifi.jni.RowHasher;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.nifi.components.ConfigVerificationResult;
import org.apache.nifi.components.ConfigVerificationResult.Outcome;

/** The Verify button: does the library load, does it hash right, do the attributes fit the columns. */
final class Verification {

    static final String NATIVE_LIBRARY = "Load the native library";
    static final String KNOWN_ROW = "Hash a known row";
    static final String COLUMNS = "Find the columns among the attributes";
    static final String CONTENT = "Check the columns";

    private static final Function<String, String> ROW = Collections.singletonMap("a", "x")::get;
    private static final String ROW_TEXT = "x|\\N";
    private static final String ROW_HASH = "d9bae88171a3f697c123a8336678a506";

    private final Map<String, String> attributes;
    private final String rowText;
    private final String rowHash;

    Verification(final Map<String, String> attributes) {
        this(attributes, ROW_TEXT, ROW_HASH);
    }

    /** For what the known row must have. */
    Verification(final Map<String, String> attributes, final String rowText, final String rowHash) {
        this.attributes = attributes;
        this.rowText = rowText;
        this.rowHash = rowHash;
    }

    /** For rows in attributes. */
    List<ConfigVerificationResult> run(final Supplier<RowHasher> configured) {
        return run(COLUMNS, this::hashKnownRow, () -> findColumns(configured));
    }

    /**
     * For rows in a content.
     *
     * @param knownHash hashes the row a=x, b empty in the same way
     * @param columns says what the configuration has to do with the columns
     */
    List<ConfigVerificationResult> run(final Supplier<String> knownHash, final Supplier<String> columns) {
        return run(CONTENT, () -> compareKnownHash(knownHash), () -> describe(columns));
    }

    private List<ConfigVerificationResult> run(final String columnsStep, final Supplier<ConfigVerificationResult> knownRow,
                                               final Supplier<ConfigVerificationResult> columns) {
        final List<ConfigVerificationResult> results = new ArrayList<>();
        results.add(loadLibrary());
        if (results.get(0).getOutcome() == Outcome.FAILED) {
            results.addAll(skipped(KNOWN_ROW, columnsStep));
            return results;
        }
        results.add(knownRow.get());
        results.add(columns.get());
        return results;
    }

    private ConfigVerificationResult compareKnownHash(final Supplier<String> knownHash) {
        try {
            final String hash = knownHash.get();
            return rowHash.equals(hash)
                    ? result(KNOWN_ROW, Outcome.SUCCESSFUL, "The row a=x, b empty has the hash " + hash + ", as it must")
                    : result(KNOWN_ROW, Outcome.FAILED, "The row a=x, b empty has the hash " + hash + "; right is " + rowHash
                            + ": the native library is damaged, install the NAR again");
        } catch (final RowHashException e) {
            return result(KNOWN_ROW, Outcome.FAILED, e.getMessage());
        }
    }

    private static ConfigVerificationResult describe(final Supplier<String> columns) {
        try {
            return result(CONTENT, Outcome.SUCCESSFUL, columns.get());
        } catch (final IllegalArgumentException | RowHashException e) {
            return result(CONTENT, Outcome.FAILED, e.getMessage());
        }
    }

    /** The first step of each processor here: without the library there are no others. */
    static ConfigVerificationResult loadLibrary() {
        try {
            final NativeLibrary library = NativeLibrary.get();
            return result(NATIVE_LIBRARY, Outcome.SUCCESSFUL, "Version " + library.version() + " for "
                    + library.platform() + " is loaded from " + library.source());
        } catch (final RowHashException e) {
            return result(NATIVE_LIBRARY, Outcome.FAILED, e.getMessage());
        }
    }

    private ConfigVerificationResult hashKnownRow() {
        try (RowHasher hasher = RowHasher.open("b,a", "row_hash", ComputeRowHash.COMPATIBLE)) {
            final RowBatch batch = hasher.batch();
            batch.add(ROW);
            final String hash = batch.hash().get(0).hash();
            final String text = hasher.canonicalText(ROW);
            if (rowHash.equals(hash) && rowText.equals(text)) {
                return result(KNOWN_ROW, Outcome.SUCCESSFUL, "The row a=x, b empty has the canonical text " + text
                        + " and the hash " + hash + ", as it must");
            }
            return result(KNOWN_ROW, Outcome.FAILED, "The row a=x, b empty has the canonical text " + text
                    + " and the hash " + hash + "; right are " + rowText + " and " + rowHash
                    + ": the native library is damaged, install the NAR again");
        } catch (final RowHashException e) {
            return result(KNOWN_ROW, Outcome.FAILED, e.getMessage());
        }
    }

    private ConfigVerificationResult findColumns(final Supplier<RowHasher> configured) {
        final List<String> columns;
        try (RowHasher hasher = configured.get()) {
            columns = hasher.columns();
        } catch (final IllegalArgumentException | RowHashException e) {
            return result(COLUMNS, Outcome.FAILED, e.getMessage());
        }

        if (attributes.isEmpty()) {
            return result(COLUMNS, Outcome.SKIPPED, "No attributes were given to compare with: add them in the dialog"
                    + " that Verify opens, as a FlowFile of the queue before this processor has them. In canonical order"
                    + " the columns are " + String.join(", ", columns));
        }
        final List<String> missing = columns.stream()
                .filter(column -> !attributes.containsKey(column)).collect(Collectors.toList());
        if (missing.isEmpty()) {
            return result(COLUMNS, Outcome.SUCCESSFUL, "Each has an attribute: " + String.join(", ", columns));
        }
        return result(COLUMNS, Outcome.FAILED, "No attribute is named " + String.join(", ", missing)
                + ". A row without them is hashed as if they were empty; upper and lower case differ");
    }

    /** The steps that a library which does not load leaves out. */
    static List<ConfigVerificationResult> skipped(final String... steps) {
        return Stream.of(steps).map(step -> result(step, Outcome.SKIPPED, "The native library does not load"))
                .collect(Collectors.toList());
    }

    static ConfigVerificationResult result(final String step, final Outcome outcome, final String explanation) {
        return new ConfigVerificationResult.Builder()
                .verificationStepName(step).outcome(outcome).explanation(explanation).build();
    }
}
