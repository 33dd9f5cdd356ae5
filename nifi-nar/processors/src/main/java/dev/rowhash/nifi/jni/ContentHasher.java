package dev.rowhash.nifi.jni;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Hashes the rows of whole contents, from stream to stream, in memory that does not grow with the
 * content. The rules themselves live in the native library. Safe for many threads; after close each
 * call is an IllegalStateException.
 */
public final class ContentHasher implements AutoCloseable {

    /** Large enough that calls cost nothing, small enough that no heap takes the array for a huge object. */
    private static final int WINDOW = 256 * 1024;

    /** A window of rows and its hashes fit at once, if the rows are not very short. */
    private static final int RESULTS = WINDOW + WINDOW / 4;

    private static final AtomicInteger OPEN = new AtomicInteger();

    /** {@link Bindings#contentRows} or {@link Bindings#contentRejects}. */
    private interface Results {
        int fetch(long session, long from, byte[] into);
    }

    private final long handle;
    private final List<String> columns;
    private final AtomicBoolean closed = new AtomicBoolean();

    private ContentHasher(final long handle, final List<String> columns) {
        this.handle = handle;
        this.columns = columns;
    }

    /**
     * Opens rules.
     *
     * @throws IllegalArgumentException if they contradict each other; the message says what to change
     * @throws RowHashException if the native library cannot be loaded
     */
    public static ContentHasher open(final ContentRules rules) {
        NativeLibrary.get();
        final long handle = rules.open();
        boolean owned = false;
        try {
            final ContentHasher hasher = new ContentHasher(handle,
                    Collections.unmodifiableList(Arrays.asList(Bindings.contentColumns(handle))));
            OPEN.incrementAndGet();
            owned = true;
            return hasher;
        } finally {
            if (!owned) {
                Bindings.closeContent(handle);
            }
        }
    }

    /** How many are not closed yet, in this class loader: what a test of a leak counts. */
    public static int openCount() {
        return OPEN.get();
    }

    /** The columns of the hash in canonical order. */
    public List<String> columns() {
        return columns;
    }

    /**
     * Reads a content to its end and writes its rows. No stream is flushed or closed.
     *
     * @param rows receives the rows with their hashes
     * @param rejects receives one JSON object a line for each row that is set aside: row_index, line_number,
     *     error_message and line_content; nothing is written to it while there are none
     * @throws RefusedContentException if the whole content is refused; nothing was written then
     * @throws RowHashException if the native library fails
     * @throws IllegalStateException if this is closed
     */
    public ContentCounts transfer(final InputStream in, final OutputStream rows, final OutputStream rejects)
            throws IOException {
        final long session = Bindings.startContent(handle);
        try {
            final byte[] window = new byte[WINDOW];
            final byte[] results = new byte[RESULTS];
            final long[] sizes = new long[5];
            int length = fill(window, in);
            while (length > 0) {
                Bindings.pushContent(session, window, length, sizes);
                write(sizes[0], Bindings::contentRows, session, results, rows);
                write(sizes[1], Bindings::contentRejects, session, results, rejects);
                length = fill(window, in);
            }
            Bindings.finishContent(session, sizes);
            write(sizes[0], Bindings::contentRows, session, results, rows);
            write(sizes[1], Bindings::contentRejects, session, results, rejects);
            return new ContentCounts(sizes[2], sizes[3], sizes[4]);
        } finally {
            Bindings.endContent(session);
        }
    }

    @Override
    public void close() {
        Bindings.closeContent(handle);
        if (closed.compareAndSet(false, true)) {
            OPEN.decrementAndGet();
        }
    }

    /** Reads until the window is full or the stream ends. */
    private static int fill(final byte[] window, final InputStream in) throws IOException {
        int length = 0;
        while (length < window.length) {
            final int read = in.read(window, length, window.length - length);
            if (read < 0) {
                break;
            }
            length += read;
        }
        return length;
    }

    private static void write(final long size, final Results source, final long session, final byte[] results,
                              final OutputStream out) throws IOException {
        long written = 0;
        while (written < size) {
            final int fetched = source.fetch(session, written, results);
            if (fetched <= 0) {
                // An error whose exception could not even be made must not pass for the end of the rows.
                throw new RowHashException("The native library gave " + written + " of " + size + " bytes");
            }
            out.write(results, 0, fetched);
            written += fetched;
        }
    }
}
