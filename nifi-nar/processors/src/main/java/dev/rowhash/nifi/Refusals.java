package dev.rowhash.nifi;

import java.util.EnumMap;
import java.util.Map;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.logging.ComponentLog;

/** The FlowFiles that one trigger refused: one log line a reason, however many they are. */
final class Refusals {

    enum Reason { WITHOUT_VALUES, AMBIGUOUS, NATIVE_FAILURE }

    private static final class Refused {
        private final FlowFile example;
        private final String message;
        private final Throwable cause;
        private int count;

        private Refused(final FlowFile example, final String message, final Throwable cause) {
            this.example = example;
            this.message = message;
            this.cause = cause;
        }
    }

    private final Map<Reason, Refused> refused = new EnumMap<>(Reason.class);

    void add(final Reason reason, final FlowFile flowFile, final String message, final Throwable cause) {
        refused.computeIfAbsent(reason, key -> new Refused(flowFile, message, cause)).count++;
    }

    int count() {
        return refused.values().stream().mapToInt(one -> one.count).sum();
    }

    /** NiFi shows a line of level WARN or ERROR as a bulletin on the processor. */
    void log(final ComponentLog logger, final int triggered) {
        for (final Map.Entry<Reason, Refused> entry : refused.entrySet()) {
            final Refused one = entry.getValue();
            if (entry.getKey() == Reason.NATIVE_FAILURE) {
                logger.error("{} of {} FlowFiles go to failure, the first is {}. {}",
                        one.count, triggered, one.example, one.message, one.cause);
            } else {
                logger.warn("{} of {} FlowFiles go to failure, the first is {}. {}",
                        one.count, triggered, one.example, one.message);
            }
        }
    }
}
