package dev.rowhash.nifi;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.apache.nifi.processor.exception.ProcessException;

/**
 * The content that a reader reads. A reader reports what is wrong with the content and what is
 * wrong with the repository it is read from alike; this one knows the latter, for which the session
 * has to be rolled back.
 */
final class RepositoryInput extends FilterInputStream {

    private Exception failure;
    private long count;

    RepositoryInput(final InputStream in) {
        super(in);
    }

    @Override
    public int read() throws IOException {
        final byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(final byte[] bytes, final int offset, final int length) throws IOException {
        try {
            final int read = super.read(bytes, offset, length);
            count += Math.max(read, 0);
            return read;
        } catch (final IOException | RuntimeException e) {
            failure = e;
            throw e;
        }
    }

    /** How many bytes were read. */
    long count() {
        return count;
    }

    /** @throws ProcessException if the repository failed */
    void rethrow() {
        if (failure != null) {
            throw new ProcessException("The content cannot be read from its repository", failure);
        }
    }
}
