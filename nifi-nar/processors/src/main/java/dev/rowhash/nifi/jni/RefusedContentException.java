package dev.rowhash.nifi.jni;

/** The whole content is refused, not one of its rows alone; the message says why and what to change. */
public final class RefusedContentException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public RefusedContentException(final String message) {
        super(message);
    }
}
