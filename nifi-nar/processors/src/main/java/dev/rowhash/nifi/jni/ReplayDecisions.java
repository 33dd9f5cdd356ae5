package dev.rowhash.nifi.jni;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

/** Collects records of the re-run query, so that one native call decides for them all. For one thread. */
public final class ReplayDecisions {

    private static final int TEXTS_A_ROW = 5;

    private final Cells cells = new Cells(columns(), Cells.MAX_CHARACTERS);

    /**
     * The columns that decide.
     *
     * @throws RowHashException if the native library cannot be loaded
     */
    public static List<String> columns() {
        NativeLibrary.get();
        return Collections.unmodifiableList(Arrays.asList(Bindings.replayFields()));
    }

    /**
     * Adds a record.
     *
     * @param record gives the text of a column, null when it is null or absent
     * @throws RowHashException if the records would outgrow an array; they are left without this one
     */
    public void add(final Function<String, String> record) {
        cells.add(record);
    }

    /** The characters of all values so far. */
    public int characters() {
        return cells.characters();
    }

    /**
     * Decides for the records in the order they were added.
     *
     * @param retries how often an item may be run again
     * @param now epoch milliseconds
     * @throws RowHashException if the native library fails
     */
    public List<ReplayDecision> decide(final int retries, final long now) {
        final String[] texts = Bindings.replay(cells.values(), cells.lengths(), cells.rows(), retries, now);
        final List<ReplayDecision> decisions = new ArrayList<>(cells.rows());
        for (int row = 0; row < cells.rows(); row++) {
            decisions.add(new ReplayDecision(texts, row * TEXTS_A_ROW));
        }
        return decisions;
    }
}
