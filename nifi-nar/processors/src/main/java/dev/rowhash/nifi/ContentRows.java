package dev.rowhash.nifi;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.logging.ComponentLog;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.exception.ProcessException;

/**
 * A FlowFile whose content holds many rows. The good ones stay in it, the bad ones leave it as
 * rejects, and a content that cannot be read to its end stays as it came.
 */
final class ContentRows {

    static final String RECORD_COUNT = "record.count";
    static final String REJECTS_COUNT = "rejects.count";
    static final String LOAD_COUNT = "load.count";
    static final String MIME_TYPE = "mime.type";
    static final String NDJSON = "application/x-ndjson";

    /** Hashes the rows of one content. */
    interface Source {
        /**
         * @param rejects is not written to while there are none
         * @throws RefusedContent if nothing of the content can be passed on
         */
        Outcome transfer(FlowFile flowFile, InputStream in, OutputStream rows, OutputStream rejects) throws IOException;
    }

    /** What became of the rows of one content. */
    static final class Outcome {
        private final long rows;
        private final long rejected;
        private final long ambiguous;
        private final Map<String, String> attributes;

        /** @param attributes what the new content says of itself */
        Outcome(final long rows, final long rejected, final long ambiguous, final Map<String, String> attributes) {
            this.rows = rows;
            this.rejected = rejected;
            this.ambiguous = ambiguous;
            this.attributes = Collections.unmodifiableMap(attributes);
        }

        private String total() {
            return Long.toString(rows + rejected);
        }
    }

    /** The content as a whole goes to failure. */
    static final class RefusedContent extends RuntimeException {
        private static final long serialVersionUID = 1L;

        RefusedContent(final String message, final Throwable cause) {
            super(message, cause);
        }
    }

    private final ProcessContext context;
    private final ProcessSession session;
    private final ComponentLog logger;
    private final String details;

    /** @param details for the provenance event */
    ContentRows(final ProcessContext context, final ProcessSession session, final ComponentLog logger,
                final String details) {
        this.context = context;
        this.session = session;
        this.logger = logger;
        this.details = details;
    }

    void hash(final FlowFile flowFile, final Source source) {
        final Rejects rejects = new Rejects(session, flowFile);
        final Outcome[] outcome = new Outcome[1];
        final FlowFile hashed;
        try {
            hashed = session.write(flowFile, (in, out) -> outcome[0] = source.transfer(flowFile, in, out, rejects));
            rejects.close();
        } catch (final RefusedContent e) {
            rejects.discard();
            refuse(flowFile, e);
            return;
        } catch (final IOException e) {
            throw new ProcessException("The rejects of " + flowFile
                    + " cannot be written", e);
        } finally {
            rejects.closeQuietly();
        }
        succeed(hashed, outcome[0]);
        reject(rejects, outcome[0], flowFile);
        count(outcome[0]);
    }

    private void succeed(final FlowFile flowFile, final Outcome outcome) {
        if (outcome.rows == 0 && outcome.rejected > 0) {
            session.remove(flowFile); // the rejects are all there is of it
            return;
        }
        final Map<String, String> attributes = new HashMap<>(outcome.attributes);
        attributes.put(RECORD_COUNT, Long.toString(outcome.rows));
        attributes.put(REJECTS_COUNT, Long.toString(outcome.rejected));
        attributes.put(LOAD_COUNT, outcome.total());
        FlowFile hashed = session.putAllAttributes(flowFile, attributes);
        // What this processor refused before and was sent back is no failure any more.
        if (context.getName().equals(hashed.getAttribute(ComputeRowHash.ERROR_PROCESSOR))) {
            hashed = session.removeAllAttributes(hashed,
                    new HashSet<>(Arrays.asList(ComputeRowHash.ERROR_MESSAGE, ComputeRowHash.ERROR_PROCESSOR)));
        }
        session.getProvenanceReporter().modifyContent(hashed, outcome.rows + " rows with " + details);
        session.transfer(hashed, ComputeRowHash.REL_SUCCESS);
    }

    private void reject(final Rejects rejects, final Outcome outcome, final FlowFile original) {
        if (outcome.rejected == 0) {
            return;
        }
        final String message = outcome.rejected + " of " + outcome.total() + " rows are refused; the first, "
                + rejects.first();
        final Map<String, String> attributes = error(message);
        attributes.put(RECORD_COUNT, Long.toString(outcome.rejected));
        attributes.put(REJECTS_COUNT, Long.toString(outcome.rejected));
        attributes.put(LOAD_COUNT, outcome.total());
        attributes.put(MIME_TYPE, NDJSON);
        session.transfer(session.putAllAttributes(rejects.flowFile(), attributes), ComputeRowHash.REL_FAILURE);
        logger.warn("{} goes to failure in part: {}", original, message);
    }

    private void refuse(final FlowFile flowFile, final RefusedContent refusal) {
        session.transfer(session.putAllAttributes(flowFile, error(refusal.getMessage())), ComputeRowHash.REL_FAILURE);
        logger.error("{} goes to failure as it came. {}", flowFile, refusal.getMessage(), refusal);
    }

    private Map<String, String> error(final String message) {
        final Map<String, String> error = new HashMap<>();
        error.put(ComputeRowHash.ERROR_MESSAGE, message);
        error.put(ComputeRowHash.ERROR_PROCESSOR, context.getName());
        return error;
    }

    private void count(final Outcome outcome) {
        ComputeRowHash.count(session, ComputeRowHash.ROWS_HASHED, outcome.rows);
        ComputeRowHash.count(session, ComputeRowHash.AMBIGUOUS_ROWS_COUNTED, outcome.ambiguous);
        ComputeRowHash.count(session, ComputeRowHash.ROWS_REFUSED, outcome.rejected);
    }
}
