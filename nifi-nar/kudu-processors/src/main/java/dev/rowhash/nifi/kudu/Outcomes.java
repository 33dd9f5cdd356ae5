package dev.rowhash.nifi.kudu;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.logging.ComponentLog;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;

/** Sends each FlowFile where it belongs, with what the load log needs to count its rows. */
final class Outcomes {

    private final String processor;
    private final String masters;
    private final ProcessSession session;

    private long loaded;
    private long refused;
    private int failed;
    private int retried;
    private String firstReason;

    Outcomes(final ProcessContext context, final ProcessSession session) {
        this.processor = context.getName();
        this.masters = context.getProperty(UpsertKudu.KUDU_MASTERS).getValue();
        this.session = session;
    }

    void finish(final FlowFileLoad load) {
        if (load.retry() != null) {
            retried++;
            remember(load.retry());
            session.transfer(session.penalize(withError(load.flowFile(), load.retry())), UpsertKudu.REL_RETRY);
            return;
        }
        loaded += load.loadedRows();
        if (load.failure() != null) {
            load.discardRejects();
            fail(load.flowFile(), load.failure());
            return;
        }
        refused += load.refusedRows();
        if (load.isRefusedItem()) {
            load.discardRejects();
            fail(load.flowFile(), load.firstRefusal());
            return;
        }
        if (load.refusedRows() > 0 && isNumberless(load.flowFile())) {
            load.discardRejects();
            fail(load.flowFile(), "Rows of this file were refused before (rejects.count), and load.count does not say how many"
                    + " rows it had: the numbers of those refused now would be those of others. Set load.count, record.count plus"
                    + " rejects.count, before this processor. What is refused now: " + load.refusals());
            return;
        }
        if (load.refusedRows() > 0) {
            reject(load);
        }
        if (load.refusedRows() > 0 && load.loadedRows() == 0) {
            session.remove(load.flowFile()); // all of it is in the rejects
        } else {
            succeed(load);
        }
    }

    private void fail(final FlowFile flowFile, final String message) {
        failed++;
        remember(message);
        session.transfer(withError(flowFile, message), UpsertKudu.REL_FAILURE);
    }

    private void reject(final FlowFileLoad load) {
        final String count = Long.toString(load.refusedRows());
        remember(load.refusals());
        final Map<String, String> attributes = error(load.refusals());
        attributes.put(UpsertKudu.REJECTS_COUNT, count);
        attributes.put(UpsertKudu.RECORD_COUNT, count);
        attributes.put("mime.type", "application/x-ndjson");
        session.transfer(session.putAllAttributes(load.rejects(), attributes), UpsertKudu.REL_FAILURE);
    }

    private void succeed(final FlowFileLoad load) {
        FlowFile flowFile = load.flowFile();
        // What was refused before and sent here again is no failure any more.
        if (processor.equals(flowFile.getAttribute(UpsertKudu.ERROR_PROCESSOR))) {
            flowFile = session.removeAllAttributes(flowFile,
                    new HashSet<>(Arrays.asList(UpsertKudu.ERROR_MESSAGE, UpsertKudu.ERROR_PROCESSOR)));
        }
        final Map<String, String> counts = new HashMap<>();
        counts.put(UpsertKudu.RECORD_COUNT, Long.toString(load.loadedRows()));
        if (load.refusedRows() > 0) {
            counts.put(UpsertKudu.REJECTS_COUNT, Long.toString(load.refusedRows() + refusedBefore(flowFile)));
        }
        flowFile = session.putAllAttributes(flowFile, counts);
        session.getProvenanceReporter().send(flowFile, "kudu://" + masters + "/" + load.table(),
                load.loadedRows() + " rows loaded, " + load.refusedRows() + " refused", load.millis());
        session.transfer(flowFile, UpsertKudu.REL_SUCCESS);
    }

    /**
     * The row_index of a FlowFile's first row. Where rows of the file were refused before, those that came through have
     * lost their numbers: they get numbers after all of the file's, so that none is taken for another row.
     */
    static long firstNumber(final FlowFile flowFile) {
        return refusedBefore(flowFile) > 0 ? number(flowFile, UpsertKudu.LOAD_COUNT) + 1 : 1;
    }

    private static boolean isNumberless(final FlowFile flowFile) {
        return refusedBefore(flowFile) > number(flowFile, UpsertKudu.LOAD_COUNT);
    }

    private static long refusedBefore(final FlowFile flowFile) {
        return number(flowFile, UpsertKudu.REJECTS_COUNT);
    }

    private static long number(final FlowFile flowFile, final String attribute) {
        final String number = flowFile.getAttribute(attribute);
        try {
            return number == null ? 0 : Math.max(0, Long.parseLong(number.trim()));
        } catch (final NumberFormatException e) {
            return 0; // an attribute of another's making
        }
    }

    private FlowFile withError(final FlowFile flowFile, final String message) {
        return session.putAllAttributes(flowFile, error(message));
    }

    private Map<String, String> error(final String message) {
        final Map<String, String> attributes = new HashMap<>();
        attributes.put(UpsertKudu.ERROR_MESSAGE, message);
        attributes.put(UpsertKudu.ERROR_PROCESSOR, processor);
        return attributes;
    }

    private void remember(final String reason) {
        if (firstReason == null) {
            firstReason = reason;
        }
    }

    void count() {
        if (loaded > 0) {
            session.adjustCounter(UpsertKudu.ROWS_LOADED, loaded, false);
        }
        if (refused > 0) {
            session.adjustCounter(UpsertKudu.ROWS_REFUSED, refused, false);
        }
    }

    void log(final ComponentLog logger, final int flowFiles) {
        if (firstReason != null) {
            logger.warn("Of {} FlowFiles {} rows go to failure, {} FlowFiles fail as a whole and {} go to retry. The first"
                    + " reason: {}", flowFiles, refused, failed, retried, firstReason);
        }
    }
}
