package dev.rowhash.nifi.jni;

import java.util.List;
import java.util.function.Function;

/**
 * Collects the values of many rows, so that one native call hashes them all. For one thread, and hashed once: its
 * memory is then another batch's.
 */
public final class RowBatch {

    /** {@link Bindings#hash}. */
    interface NativeHash {
        int hash(long handle, char[] values, int[] lengths, int rows, byte[] results);
    }

    private final RowHasher hasher;
    private final List<String> columns;
    /** Null after the batch is hashed. */
    private Cells cells;
    private int characters;
    private int rows;

    RowBatch(final RowHasher hasher, final Cells cells) {
        this.hasher = hasher;
        this.columns = hasher.columns();
        this.cells = cells;
    }

    /**
     * Adds a row.
     *
     * @param row gives the value of a column, null when it has none
     * @throws RowHashException if the batch would outgrow an array; it is left without this row
     */
    public void add(final Function<String, String> row) {
        cells().add(row);
        characters = cells.characters();
        rows = cells.rows();
    }

    /** The characters of all values so far. */
    public int characters() {
        return characters;
    }

    public int size() {
        return rows;
    }

    /**
     * Hashes the rows in the order they were added.
     *
     * @throws RowHashException if the native library fails
     * @throws IllegalStateException if the hasher is closed, or the batch was hashed before
     */
    public List<HashedRow> hash() {
        return hash(Bindings::hash);
    }

    List<HashedRow> hash(final NativeHash library) {
        final Cells hashed = cells();
        final byte[] results = new byte[Math.multiplyExact(rows, HashedRow.RESULT)];
        if (library.hash(hasher.handle(), hashed.values(), hashed.lengths(), rows, results) != rows) {
            // An error whose exception could not even be made must not pass for a hash of zeros.
            throw new RowHashException("The native library returned without hashing the rows");
        }
        cells = null;
        hasher.keep(hashed);
        return HashedRow.list(columns, results);
    }

    /** The canonical text of the only row. */
    String canonicalText() {
        return Bindings.canonicalText(hasher.handle(), cells().values(), cells().lengths());
    }

    private Cells cells() {
        if (cells == null) {
            throw new IllegalStateException("The rows of this batch are hashed: get another batch of the hasher");
        }
        return cells;
    }
}
