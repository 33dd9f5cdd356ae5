package dev.rowhash.runtime;

/** A server, a download or a flow did not do what it had to; the message says which and where to look. */
public final class RuntimeFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public RuntimeFailure(final String message) {
        super(message);
    }

    public RuntimeFailure(final String message, final Throwable cause) {
        super(message, cause);
    }
}
