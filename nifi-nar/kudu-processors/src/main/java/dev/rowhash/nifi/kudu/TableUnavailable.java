package dev.rowhash.nifi.kudu;

/** Kudu answers, but the table cannot be written: it is not there, may not be written, or a part of it does not answer. */
final class TableUnavailable extends Exception {

    private static final long serialVersionUID = 1L;

    private final String table;
    private final boolean passing;

    private TableUnavailable(final String table, final boolean passing, final String message, final Throwable cause) {
        super(message, cause);
        this.table = table;
        this.passing = passing;
    }

    TableUnavailable(final String table, final String message, final Throwable cause) {
        this(table, false, message, cause);
    }

    /** As when the server of one of its tablets is away. */
    static TableUnavailable passing(final String table, final String message) {
        return new TableUnavailable(table, true, message, null);
    }

    String table() {
        return table;
    }

    /** Whether it is likely to pass without anybody's doing. */
    boolean isPassing() {
        return passing;
    }
}
