package dev.rowhash.nifi.kudu;

/** Kudu cannot be reached, or does not answer in time: everything waits. */
final class KuduUnavailable extends Exception {

    private static final long serialVersionUID = 1L;

    KuduUnavailable(final String message, final Throwable cause) {
        super(message, cause);
    }
}
