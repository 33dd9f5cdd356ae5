package dev.rowhash.nifi.kudu;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Tables that could not be written a moment ago, so that not each FlowFile asks for them again. */
final class Troubles {

    private static final long KEPT_NANOS = Duration.ofSeconds(5).toNanos();

    private static final class Trouble {
        private final String message;
        private final boolean passing;
        private final long since = System.nanoTime();

        private Trouble(final String message, final boolean passing) {
            this.message = message;
            this.passing = passing;
        }
    }

    private final Map<String, Trouble> tables = new ConcurrentHashMap<>();

    void add(final TableUnavailable e) {
        tables.put(e.table(), new Trouble(e.getMessage(), e.isPassing()));
    }

    /** Why the table cannot be written, null when it is worth trying. */
    String of(final String table) {
        final Trouble trouble = current(table);
        return trouble == null ? null : trouble.message;
    }

    boolean none() {
        return tables.isEmpty();
    }

    /** Whether the table's FlowFiles had better wait where they are. */
    boolean isPassing(final String table) {
        final Trouble trouble = current(table);
        return trouble != null && trouble.passing;
    }

    private Trouble current(final String table) {
        final Trouble trouble = tables.get(table);
        if (trouble != null && System.nanoTime() - trouble.since > KEPT_NANOS) {
            tables.remove(table, trouble);
            return null;
        }
        return trouble;
    }
}
