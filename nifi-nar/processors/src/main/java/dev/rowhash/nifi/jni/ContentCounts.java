package dev.rowhash.nifi.jni;

/** How many rows a content had. */
public final class ContentCounts {

    private final long rows;
    private final long rejected;
    private final long ambiguous;

    ContentCounts(final long rows, final long rejected, final long ambiguous) {
        this.rows = rows;
        this.rejected = rejected;
        this.ambiguous = ambiguous;
    }

    /** Rows that were written with their hash. */
    public long rows() {
        return rows;
    }

    /** Rows that were set aside. */
    public long rejected() {
        return rejected;
    }

    /** Rows that another row can share its hash with, written or set aside. */
    public long ambiguous() {
        return ambiguous;
    }
}
