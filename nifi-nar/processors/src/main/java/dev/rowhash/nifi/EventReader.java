package dev.rowhash.nifi;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.apache.nifi.components.PropertyDescriptor;
import org.apache.nifi.components.PropertyValue;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;

/**
 * What a FlowFile tells the load log: one event, or one for each line of rejects. A field comes
 * from the property for it, or else from the attribute of its name.
 */
final class EventReader {

    private static final String OUTCOME = "outcome";
    private static final String FAILED = "failed";
    private static final String REJECTS_COUNT = "rejects.count";

    /** More characters than fit into a cell of 65,536 bytes, so that the rule in the library can tell. */
    private static final int MAX_LINE_CHARACTERS = 65_537;
    /** So many characters in any encoding. */
    private static final int MAX_LINE_BYTES = 4 * MAX_LINE_CHARACTERS;

    /** Content that says it is rejects and is not. */
    static final class BadRejects extends Exception {
        private static final long serialVersionUID = 1L;

        private final transient FlowFile flowFile;

        private BadRejects(final FlowFile flowFile, final String message) {
            super(message);
            this.flowFile = flowFile;
        }

        FlowFile flowFile() {
            return flowFile;
        }
    }

    /** Takes the events, each as the texts of its fields. */
    interface Sink {
        void event(FlowFile flowFile, Function<String, String> fields) throws LedgerUnavailable;
    }

    private final ProcessSession session;
    private final Map<String, PropertyValue> properties = new HashMap<>();
    private final String lineContent;
    /** Null unless it is used: NiFi hides a property whose dependency is not met. */
    private final PropertyValue lineContentAttribute;
    private final Charset charset;

    EventReader(final ProcessContext context, final ProcessSession session) {
        this.session = session;
        for (final Map.Entry<String, PropertyDescriptor> field : EmitLoadLog.FIELDS.entrySet()) {
            properties.put(field.getKey(), context.getProperty(field.getValue()));
        }
        lineContent = context.getProperty(EmitLoadLog.LINE_CONTENT).getValue();
        lineContentAttribute = EmitLoadLog.ATTRIBUTE.equals(lineContent)
                ? context.getProperty(EmitLoadLog.LINE_CONTENT_ATTRIBUTE) : null;
        charset = Charset.forName(context.getProperty(EmitLoadLog.CHARACTER_SET).getValue());
    }

    void read(final FlowFile flowFile, final Sink sink) throws BadRejects, LedgerUnavailable {
        if (!isFailure(flowFile)) {
            sink.event(flowFile, field -> field(flowFile, field));
        } else if (!readRejects(flowFile, sink)) {
            sink.event(flowFile, field -> failureField(flowFile, field));
        }
    }

    private boolean isFailure(final FlowFile flowFile) {
        final String outcome = field(flowFile, OUTCOME);
        return outcome == null || outcome.isEmpty()
                ? has(flowFile, ComputeRowHash.ERROR_PROCESSOR)
                : outcome.endsWith(FAILED);
    }

    private String field(final FlowFile flowFile, final String field) {
        final PropertyValue property = properties.get(field);
        return property == null
                ? flowFile.getAttribute(field)
                : property.evaluateAttributeExpressions(flowFile).getValue();
    }

    private String failureField(final FlowFile flowFile, final String field) {
        switch (field) {
            case RejectedRow.ERROR_MESSAGE:
                return has(flowFile, field) ? flowFile.getAttribute(field) : noReason(flowFile);
            case RejectedRow.LINE_CONTENT:
                return line(flowFile);
            default:
                return field(flowFile, field);
        }
    }

    private static String noReason(final FlowFile flowFile) {
        final String processor = flowFile.getAttribute(ComputeRowHash.ERROR_PROCESSOR);
        return (processor == null ? "The processor" : processor) + " gave no reason in an attribute: see its bulletin, or"
                + " its lines in nifi-app.log about the FlowFile " + flowFile.getAttribute("uuid");
    }

    private String line(final FlowFile flowFile) {
        switch (lineContent) {
            case EmitLoadLog.CONTENT:
                return content(flowFile);
            case EmitLoadLog.ATTRIBUTE:
                return flowFile.getAttribute(lineContentAttribute.evaluateAttributeExpressions(flowFile).getValue());
            default:
                return null;
        }
    }

    /** Null when the bytes are no text in the character set: they could not be written again as they were. */
    private String content(final FlowFile flowFile) {
        final byte[] bytes = new byte[(int) Math.min(flowFile.getSize(), MAX_LINE_BYTES)];
        session.read(flowFile, in -> fill(in, bytes));
        if (flowFile.getSize() > bytes.length) {
            return new String(bytes, charset);
        }
        try {
            return charset.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (final CharacterCodingException e) {
            return null;
        }
    }

    private static void fill(final InputStream in, final byte[] bytes) throws IOException {
        int read = 0;
        while (read < bytes.length) {
            final int count = in.read(bytes, read, bytes.length - read);
            if (count < 0) {
                throw new IOException("The content ends after " + read + " bytes, but has " + bytes.length);
            }
            read += count;
        }
    }

    /**
     * Reads rejects, if it is them: a good part of a file carries rejects.count too, and can fail
     * as a whole.
     */
    private boolean readRejects(final FlowFile flowFile, final Sink sink) throws BadRejects, LedgerUnavailable {
        if (!has(flowFile, REJECTS_COUNT) || "0".equals(flowFile.getAttribute(REJECTS_COUNT))) {
            return false;
        }
        int number = 0;
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(session.read(flowFile), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                final RejectedRow row;
                try {
                    row = RejectedRow.parse(line);
                } catch (final IllegalArgumentException e) {
                    if (number == 1) {
                        return false;
                    }
                    throw new BadRejects(flowFile, "Line " + number + " of the rejects cannot be read: " + e.getMessage());
                }
                sink.event(flowFile, field -> rejectField(flowFile, row, field));
            }
        } catch (final IOException e) {
            throw new BadRejects(flowFile, "The rejects cannot be read after line " + number + ": " + e.getMessage());
        }
        return number > 0;
    }

    private String rejectField(final FlowFile flowFile, final RejectedRow row, final String field) {
        switch (field) {
            case OUTCOME:
                return FAILED;
            case RejectedRow.ROW_INDEX:
            case RejectedRow.ERROR_MESSAGE:
                return row.get(field);
            case RejectedRow.LINE_CONTENT:
                return EmitLoadLog.NONE.equals(lineContent) ? null : row.get(field);
            default:
                return field(flowFile, field);
        }
    }

    private static boolean has(final FlowFile flowFile, final String attribute) {
        final String value = flowFile.getAttribute(attribute);
        return value != null && !value.isEmpty();
    }
}
