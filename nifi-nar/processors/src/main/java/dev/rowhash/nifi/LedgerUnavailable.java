package dev.rowhash.nifi;

/** The ledger cannot be read or changed now. The message says why and what to do; the FlowFiles have to wait. */
final class LedgerUnavailable extends Exception {

    private static final long serialVersionUID = 1L;

    LedgerUnavailable(final String message) {
        super(message);
    }

    LedgerUnavailable(final String message, final Throwable cause) {
        super(message, cause);
    }
}
