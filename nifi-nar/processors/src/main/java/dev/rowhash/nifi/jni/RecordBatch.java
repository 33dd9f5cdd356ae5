package dev.rowhash.nifi.jni;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** Collects rows of typed values, so that one native call hashes them all. For one thread. */
public final class RecordBatch {

    private static final int FIRST_ROWS = 16;

    private final RowHasher hasher;
    private final List<String> columns;
    private final Cells cells;
    private byte[] kinds;

    RecordBatch(final RowHasher hasher) {
        this.hasher = hasher;
        this.columns = hasher.columns();
        this.cells = new Cells(columns, Cells.MAX_CHARACTERS);
        this.kinds = new byte[Math.multiplyExact(FIRST_ROWS, columns.size())];
    }

    /**
     * Adds a row.
     *
     * @param row gives the value of a column, null when it has none
     * @throws RowHashException if the batch would outgrow an array; it is left without this row
     */
    public void add(final Function<String, Object> row) {
        final int first = cells.rows() * columns.size();
        if (kinds.length - first < columns.size()) {
            kinds = Arrays.copyOf(kinds, Math.multiplyExact(2, kinds.length));
        }
        final int[] next = {first};
        cells.add(column -> {
            final TypedValue value = TypedValue.of(row.apply(column));
            kinds[next[0]++] = value.kind();
            return value.packed();
        });
    }

    /** The size of all values so far, in characters. */
    public int characters() {
        return cells.characters();
    }

    public int size() {
        return cells.rows();
    }

    /**
     * Hashes the rows in the order they were added.
     *
     * @throws RowHashException if the native library fails
     * @throws IllegalStateException if the hasher is closed
     */
    public List<HashedRow> hash() {
        final int rows = cells.rows();
        final byte[] hashes = new byte[Math.multiplyExact(rows, HashedRow.LENGTH)];
        final int[] findings = new int[rows];
        final String[] refusals = Bindings.hashRecords(hasher.handle(), cells.values(), cells.lengths(), kinds, rows,
                hashes, findings);
        if (refusals == null) {
            // An error whose exception could not even be made must not pass for a hash of zeros.
            throw new RowHashException("The native library returned without hashing the rows");
        }
        return HashedRow.list(columns, hashes, findings, refusals);
    }
}
