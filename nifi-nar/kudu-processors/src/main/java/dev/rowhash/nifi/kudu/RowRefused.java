package dev.rowhash.nifi.kudu;

/** Why one row cannot be written; the message names the column, the value and the cure. */
final class RowRefused extends Exception {

    private static final long serialVersionUID = 1L;

    RowRefused(final String message) {
        // No stack trace: a file can have a million of them.
        super(message, null, false, false);
    }
}
