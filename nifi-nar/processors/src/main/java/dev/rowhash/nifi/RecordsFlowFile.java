package dev.rowhash.nifi;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.Relationship;

/** Records for a table as one FlowFile of NDJSON, which is made when the first one comes. */
final class RecordsFlowFile {

    static final String RECORD_COUNT = "record.count";

    private final ProcessSession session;
    private final FlowFile parent;
    private final String name;
    private final Map<String, String> more;

    private FlowFile flowFile;
    private int records;

    /**
     * @param parent the FlowFile that the records come of, null when time alone made them
     * @param name the first part of the file's name
     */
    RecordsFlowFile(final ProcessSession session, final FlowFile parent, final String name) {
        this(session, parent, name, Collections.emptyMap());
    }

    /** @param more attributes that it has beside those of all records */
    RecordsFlowFile(final ProcessSession session, final FlowFile parent, final String name, final Map<String, String> more) {
        this.session = session;
        this.parent = parent;
        this.name = name;
        this.more = more;
    }

    /** @param lines whole lines, each with its end; none when empty */
    void add(final String lines) {
        if (lines.isEmpty()) {
            return;
        }
        if (flowFile == null) {
            flowFile = parent == null ? session.create() : childOf(session, parent);
        }
        final byte[] bytes = lines.getBytes(StandardCharsets.UTF_8);
        flowFile = session.append(flowFile, out -> out.write(bytes));
        records += (int) lines.chars().filter(c -> c == '\n').count();
    }

    int records() {
        return records;
    }

    /** Sends the FlowFile, if there is one. */
    void transfer(final Relationship relationship) {
        if (flowFile == null) {
            return;
        }
        final Map<String, String> attributes = new HashMap<>(more);
        attributes.put(RECORD_COUNT, Integer.toString(records));
        attributes.put("mime.type", "application/x-ndjson");
        attributes.put("filename", name + "-" + flowFile.getAttribute("uuid") + ".ndjson");
        session.transfer(session.putAllAttributes(flowFile, attributes), relationship);
    }

    void discard() {
        if (flowFile != null) {
            session.remove(flowFile);
        }
    }

    /** A child without what its parent says of itself, such as a split's index or an error. */
    static FlowFile childOf(final ProcessSession session, final FlowFile parent) {
        final FlowFile child = session.create(parent);
        final Set<String> inherited = new HashSet<>(child.getAttributes().keySet());
        inherited.removeAll(Arrays.asList("uuid", "filename", "path"));
        return session.removeAllAttributes(child, inherited);
    }
}
