package dev.rowhash.nifi.jni;

import java.util.List;
import java.util.function.Function;

/** Collects events for the ledger, so that one native call takes them all. For one thread. */
public final class LoadEvents {

    private final Cells cells;

    LoadEvents(final List<String> fields) {
        this.cells = new Cells(fields, Cells.MAX_CHARACTERS);
    }

    /**
     * Adds an event.
     *
     * @param fields gives the text of a field, null when it has none
     * @throws RowHashException if the events would outgrow an array; they are left without this one
     */
    public void add(final Function<String, String> fields) {
        cells.add(fields);
    }

    /**
     * Whether a text is a line of rejects, which an event can hold as its field {@code reject}.
     *
     * @throws RowHashException if the native library cannot be loaded
     */
    public static boolean isReject(final String line) {
        NativeLibrary.get();
        return Bindings.isReject(line);
    }

    /** The characters of all fields so far. */
    public int characters() {
        return cells.characters();
    }

    public int size() {
        return cells.rows();
    }

    Cells cells() {
        return cells;
    }
}
