package dev.rowhash.nifi.kudu;

/** Why a FlowFile cannot be written as a whole, such as a key column that none of its rows has. */
final class FlowFileRefused extends Exception {

    private static final long serialVersionUID = 1L;

    FlowFileRefused(final String message) {
        super(message);
    }
}
