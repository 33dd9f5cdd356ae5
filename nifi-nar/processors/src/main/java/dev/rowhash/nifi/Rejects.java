package dev.rowhash.nifi;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.processor.ProcessSession;

/** The bad rows of a FlowFile as a FlowFile of their own, which is made when the first one comes. */
final class Rejects extends OutputStream {

    static final String ROW_INDEX = "row_index";
    static final String ERROR_MESSAGE = "error_message";
    static final String LINE_CONTENT = "line_content";

    /** The reason stands before the row's text. */
    private static final Pattern FIRST = Pattern.compile(
            "\\{\"row_index\":(\\d+),.*?\"error_message\":\"((?:[^\"\\\\]++|\\\\.)*+)\"");
    private static final int ENOUGH = 8 * 1024;

    private final ProcessSession session;
    private final FlowFile parent;
    private final ByteArrayOutputStream beginning = new ByteArrayOutputStream();

    private FlowFile flowFile;
    private OutputStream out;

    Rejects(final ProcessSession session, final FlowFile parent) {
        this.session = session;
        this.parent = parent;
    }

    @Override
    public void write(final int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(final byte[] bytes, final int offset, final int length) throws IOException {
        if (flowFile == null) {
            flowFile = session.create(parent);
            out = new BufferedOutputStream(session.write(flowFile));
        }
        beginning.write(bytes, offset, Math.min(length, ENOUGH - beginning.size()));
        out.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
        if (out != null) {
            out.close();
            out = null;
        }
    }

    /** For a session that is rolled back: what is thrown already matters more. */
    void closeQuietly() {
        try {
            close();
        } catch (final IOException e) {
            out = null;
        }
    }

    void discard() {
        closeQuietly();
        if (flowFile != null) {
            session.remove(flowFile);
        }
    }

    /** Null while there are none. */
    FlowFile flowFile() {
        return flowFile;
    }

    /** Which row is the first one, and why. */
    String first() {
        final Matcher first = FIRST.matcher(new String(beginning.toByteArray(), StandardCharsets.UTF_8));
        return first.lookingAt() ? "row " + first.group(1) + ": " + unescaped(first.group(2)) : "is in the content";
    }

    /** The text of a JSON string, as far as a person needs it. */
    private static String unescaped(final String text) {
        return text.replaceAll("\\\\[nrt]", " ").replaceAll("\\\\([\"\\\\/])", "$1");
    }
}
