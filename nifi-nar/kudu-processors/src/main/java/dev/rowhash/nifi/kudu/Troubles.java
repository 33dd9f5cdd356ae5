package dev.rowhash.nifi.kudu;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Tables that could not be written a moment ago, so that not each FlowFile asks for them again. */
final class Troubles {

    private static final long KEPT_NANOS = Duration.ofSeconds(5).toNanos();

    private static final class Trouble {
        private final String message;
        private final long since;

        private Trouble(final String message, final long since) {
            this.message = message;
            this.since = since;
        }
    }

    private final Map<String, Trouble> tables = new ConcurrentHashMap<>();

    void add(final String table, final String message) {
        tables.put(table, new Trouble(message, System.nanoTime()));
    }

    /** Why the table cannot be written, null when it is worth trying. */
    String of(final String table) {
        final Trouble trouble = tables.get(table);
        if (trouble == null) {
            return null;
        }
        if (System.nanoTime() - trouble.since > KEPT_NANOS) {
            tables.remove(table);
            return null;
        }
        return trouble.message;
    }
}
