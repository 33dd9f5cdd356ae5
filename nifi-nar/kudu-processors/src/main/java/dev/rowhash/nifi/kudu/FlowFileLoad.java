package dev.rowhash.nifi.kudu;

import java.nio.charset.StandardCharsets;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.processor.ProcessSession;

/** What becomes of one FlowFile: how many rows were loaded, which were refused, or why it fails as a whole. */
final class FlowFileLoad {

    /** Refused rows are written in pieces: neither one by one, nor all from memory. */
    private static final int MOST_CHARACTERS = 256 * 1024;

    private final ProcessSession session;
    private final FlowFile flowFile;
    private final String table;
    private final RowJson json;
    private final StringBuilder lines = new StringBuilder();
    private final long firstNumber;
    private final long startedAt = System.nanoTime();

    private FlowFile rejects;
    private long rows;
    private long loaded;
    private long refused;
    private String firstRefusal;
    private long firstRefused;
    private String failure;
    private String retry;

    /** @param firstNumber the row_index of the first row */
    FlowFileLoad(final ProcessSession session, final FlowFile flowFile, final String table, final RowJson json,
                 final long firstNumber) {
        this.firstNumber = firstNumber;
        this.session = session;
        this.flowFile = flowFile;
        this.table = table;
        this.json = json;
    }

    FlowFile flowFile() {
        return flowFile;
    }

    String table() {
        return table;
    }

    /** Gives the row_index of the row that comes next. */
    long next() {
        return firstNumber + rows++;
    }

    void loaded() {
        loaded++;
    }

    /** The line of rejects that a row becomes. */
    String reject(final long row, final String message, final SourceRow source) {
        return json.reject(row, message, source);
    }

    void refuse(final long row, final String message, final String reject) {
        refused++;
        if (firstRefusal == null) {
            firstRefusal = message;
            firstRefused = row;
        }
        lines.append(reject);
        if (lines.length() >= MOST_CHARACTERS) {
            writeLines();
        }
    }

    private void writeLines() {
        if (rejects == null) {
            rejects = session.create(flowFile);
        }
        final byte[] bytes = lines.toString().getBytes(StandardCharsets.UTF_8);
        lines.setLength(0);
        lines.trimToSize();
        rejects = session.append(rejects, out -> out.write(bytes));
    }

    /** That no row is to come: what is left of the refused ones waits in the content, not in memory. */
    void settled() {
        if (isRefusedItem()) {
            lines.setLength(0);
            lines.trimToSize();
        } else if (lines.length() > 0) {
            writeLines();
        }
    }

    /** Whether it is a row, refused: an item of its own, with all that it needs to be run again. */
    boolean isRefusedItem() {
        return rows == 1 && refused == 1 && flowFile.getAttribute(UpsertKudu.LOAD_COUNT) == null;
    }

    void fail(final String message) {
        failure = message;
    }

    /** It is fine, but cannot be loaded now. */
    void retryLater(final String message) {
        retry = message;
    }

    String failure() {
        return failure;
    }

    String retry() {
        return retry;
    }

    long rows() {
        return rows;
    }

    long loadedRows() {
        return loaded;
    }

    long refusedRows() {
        return refused;
    }

    /** Why the first refused row was refused. */
    String firstRefusal() {
        return firstRefusal;
    }

    String refusals() {
        return refused + " of " + rows + " rows are refused; the first, row " + firstRefused + ": " + firstRefusal;
    }

    long millis() {
        return (System.nanoTime() - startedAt) / 1_000_000;
    }

    /** The FlowFile with the refused rows, once all are settled; null when none was refused. */
    FlowFile rejects() {
        return rejects;
    }

    void discardRejects() {
        if (rejects != null) {
            session.remove(rejects);
        }
    }
}
