package dev.rowhash.nifi;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.nifi.processor.exception.ProcessException;

/** The content that a writer writes, as {@link RepositoryInput} is the one that a reader reads. */
final class RepositoryOutput extends FilterOutputStream {

    private Exception failure;

    RepositoryOutput(final OutputStream out) {
        super(out);
    }

    @Override
    public void write(final int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(final byte[] bytes, final int offset, final int length) throws IOException {
        try {
            out.write(bytes, offset, length);
        } catch (final IOException | RuntimeException e) {
            failure = e;
            throw e;
        }
    }

    /** @throws ProcessException if the repository failed */
    void rethrow() {
        if (failure != null) {
            throw new ProcessException("The content cannot be written to its repository", failure);
        }
    }
}
