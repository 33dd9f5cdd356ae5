package dev.rowhash.nifi.kudu;

/** Kudu answers, but a table cannot be written now: it does not exist, is being changed, or may not be written. */
final class TableUnavailable extends Exception {

    private static final long serialVersionUID = 1L;

    private final String table;

    TableUnavailable(final String table, final String message, final Throwable cause) {
        super(message, cause);
        this.table = table;
    }

    String table() {
        return table;
    }
}
