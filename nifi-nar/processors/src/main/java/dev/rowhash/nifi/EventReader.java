package dev.rowhash.nifi;

import dev.rowhash.nifi.jni.LoadEvents;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
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

    static final String LOADED = "loaded";

    private static final String OUTCOME = "outcome";
    private static final String FAILED = "failed";
    private static final String LINE_CONTENT = "line_content";
    private static final String REJECT = "reject";
    private static final String REJECT_CONTENT = "reject.content";
    private static final String DROPPED = "none";
    private static final String ENTERED = "entered";
    private static final String REJECTS_COUNT = "rejects.count";

    /** A file of rejects is known by its first lines, not by its first one alone: that one may be damaged. */
    private static final int LINES_TO_TELL = 100;

    /** More characters than fit into a cell of 65,536 bytes, so that the rule in the library can tell. */
    private static final int MAX_LINE_CHARACTERS = 65_537;
    /** So many characters in any encoding. */
    private static final int MAX_LINE_BYTES = 4 * MAX_LINE_CHARACTERS;

    /** Takes the events, each as the texts of its fields. */
    interface Sink {
        /** @param line of rejects, from 1; 0 where the FlowFile itself is the event */
        void event(FlowFile flowFile, int line, Function<String, String> fields) throws LedgerUnavailable;

        void refuse(FlowFile flowFile, String reason);
    }

    private final ProcessSession session;
    private final Map<String, PropertyValue> properties = new HashMap<>();
    private final PropertyValue rowHash;
    private final String lineContent;
    /** Null unless it is used: NiFi hides a property whose dependency is not met. */
    private final PropertyValue lineContentAttribute;
    private final Charset charset;

    EventReader(final ProcessContext context, final ProcessSession session) {
        this.session = session;
        for (final Map.Entry<String, PropertyDescriptor> field : EmitLoadLog.FIELDS.entrySet()) {
            properties.put(field.getKey(), context.getProperty(field.getValue()));
        }
        rowHash = context.getProperty(EmitLoadLog.ROW_HASH);
        lineContent = context.getProperty(EmitLoadLog.LINE_CONTENT).getValue();
        lineContentAttribute = EmitLoadLog.ATTRIBUTE.equals(lineContent)
                ? context.getProperty(EmitLoadLog.LINE_CONTENT_ATTRIBUTE) : null;
        charset = Charset.forName(context.getProperty(EmitLoadLog.CHARACTER_SET).getValue());
    }

    void read(final FlowFile flowFile, final Sink sink) throws LedgerUnavailable {
        if (!isFailure(flowFile)) {
            sink.event(flowFile, 0, field -> field(flowFile, field));
        } else if (isRejects(flowFile)) {
            readRejects(flowFile, sink);
        } else {
            sink.event(flowFile, 0, field -> failureField(flowFile, field));
        }
    }

    private boolean isFailure(final FlowFile flowFile) {
        final String outcome = field(flowFile, OUTCOME);
        return isEmpty(outcome) ? has(flowFile, ComputeRowHash.ERROR_PROCESSOR) : outcome.endsWith(FAILED);
    }

    /** Whether what the FlowFile holds is in the table. */
    boolean isLoaded(final FlowFile flowFile) {
        final String outcome = field(flowFile, OUTCOME);
        return isEmpty(outcome) ? !has(flowFile, ComputeRowHash.ERROR_PROCESSOR) : outcome.equals(LOADED);
    }

    /** The hash of a loaded item's row, null or empty when there is none. */
    String rowHash(final FlowFile flowFile) {
        return rowHash.evaluateAttributeExpressions(flowFile).getValue();
    }

    /** The text of an event's field, null when there is none. */
    String field(final FlowFile flowFile, final String field) {
        if (field.equals(ENTERED)) {
            return Long.toString(flowFile.getLineageStartDate());
        }
        final PropertyValue property = properties.get(field);
        return property == null
                ? attribute(field, flowFile.getAttributes())
                : property.evaluateAttributeExpressions(flowFile).getValue();
    }

    /** That of the attribute of the field's name; rejects are content, whatever an attribute of their names may be. */
    static String attribute(final String field, final Map<String, String> attributes) {
        return field.equals(REJECT) || field.equals(REJECT_CONTENT) || field.equals(ENTERED) ? null : attributes.get(field);
    }

    private String failureField(final FlowFile flowFile, final String field) {
        switch (field) {
            case ComputeRowHash.ERROR_MESSAGE:
                return has(flowFile, field) ? flowFile.getAttribute(field) : noReason(flowFile);
            case LINE_CONTENT:
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
     * Whether the content is rejects: a good part of a file carries rejects.count too, and can fail
     * as a whole.
     */
    private boolean isRejects(final FlowFile flowFile) {
        if (!has(flowFile, REJECTS_COUNT) || "0".equals(flowFile.getAttribute(REJECTS_COUNT))) {
            return false;
        }
        try (RejectLines lines = new RejectLines(session.read(flowFile))) {
            for (String line = lines.next(); line != null && lines.number() <= LINES_TO_TELL; line = lines.next()) {
                if (LoadEvents.isReject(line)) {
                    return true;
                }
            }
        } catch (final IOException e) {
            return false;
        }
        return false;
    }

    /** The library reads each line; one that is no reject is refused alone, and the others are logged. */
    private void readRejects(final FlowFile flowFile, final Sink sink) throws LedgerUnavailable {
        try (RejectLines lines = new RejectLines(session.read(flowFile))) {
            for (String line = lines.next(); line != null; line = lines.next()) {
                final String reject = line;
                sink.event(flowFile, lines.number(), field -> rejectField(flowFile, reject, field));
            }
        } catch (final IOException e) {
            sink.refuse(flowFile, "The rejects cannot be read to their end: " + e.getMessage() + ". What came before is logged;"
                    + " shorten or remove the line, and send the FlowFile here again");
        }
    }

    private String rejectField(final FlowFile flowFile, final String reject, final String field) {
        switch (field) {
            case REJECT:
                return reject;
            case REJECT_CONTENT:
                return EmitLoadLog.NONE.equals(lineContent) ? DROPPED : null;
            default:
                return field(flowFile, field);
        }
    }

    private static boolean has(final FlowFile flowFile, final String attribute) {
        return !isEmpty(flowFile.getAttribute(attribute));
    }

    private static boolean isEmpty(final String text) {
        return text == null || text.isEmpty();
    }
}
