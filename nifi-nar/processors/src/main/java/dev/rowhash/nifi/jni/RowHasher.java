package dev.rowhash.nifi.jni;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongFunction;

/**
 * Hashes rows by one rule: the columns, the hash column and the canonical form. The rule itself
 * lives in the native library. Safe for many threads; after close each call is an
 * IllegalStateException.
 */
public final class RowHasher implements AutoCloseable {

    private static final AtomicInteger OPEN = new AtomicInteger();

    private final long handle;
    private final List<String> columns;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Queue<Cells> spare = new ConcurrentLinkedQueue<>();

    private RowHasher(final long handle, final List<String> columns) {
        this.handle = handle;
        this.columns = columns;
    }

    /**
     * Opens a rule.
     *
     * @param columns the names, separated by commas, in any order
     * @param hashColumn the column that receives the hash and is never part of it
     * @param form Compatible or Escaped
     * @throws IllegalArgumentException if the rule contradicts itself; the message says what to change
     * @throws RowHashException if the native library cannot be loaded
     */
    public static RowHasher open(final String columns, final String hashColumn, final String form) {
        NativeLibrary.get();
        return own(Bindings.open(columns, hashColumn, form), Bindings::columns);
    }

    /** Makes a hasher of a handle, or closes the handle. */
    static RowHasher own(final long handle, final LongFunction<String[]> columns) {
        boolean owned = false;
        try {
            final RowHasher hasher =
                    new RowHasher(handle, Collections.unmodifiableList(Arrays.asList(columns.apply(handle))));
            OPEN.incrementAndGet();
            owned = true;
            return hasher;
        } finally {
            if (!owned) {
                Bindings.close(handle);
            }
        }
    }

    /** How many are not closed yet, in this class loader: what a test of a leak counts. */
    public static int openCount() {
        return OPEN.get();
    }

    /** The columns in canonical order. */
    public List<String> columns() {
        return columns;
    }

    public RowBatch batch() {
        final Cells kept = spare.poll();
        return new RowBatch(this, kept == null ? new Cells(columns, Cells.MAX_CHARACTERS) : kept);
    }

    /** Keeps the memory of a batch for the next one, but not that of huge rows. */
    void keep(final Cells cells) {
        if (cells.isSmall()) {
            cells.clear();
            spare.offer(cells);
        }
    }

    public RecordBatch recordBatch() {
        return new RecordBatch(this);
    }

    /** The text of a row that is hashed, to show it to a person. */
    public String canonicalText(final Function<String, String> row) {
        final RowBatch batch = batch();
        batch.add(row);
        return batch.canonicalText();
    }

    @Override
    public void close() {
        Bindings.close(handle);
        if (closed.compareAndSet(false, true)) {
            OPEN.decrementAndGet();
        }
    }

    long handle() {
        return handle;
    }
}
