package dev.rowhash.nifi.jni;

/** The native library cannot be loaded, or failed in a way that is not the caller's mistake. */
public class RowHashException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Also called by the native library when it catches a panic. */
    public RowHashException(final String message) {
        super(message);
    }

    public RowHashException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
