package dev.rowhash.nifi.jni;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a ledger makes of some events: records to write, and the ledger as it is then. */
public final class LoadStep {

    private static final int FIRST_STATE = 5;

    private final Map<Integer, String> masters;
    private final String details;
    private final Map<Integer, String> refused;
    private final String confirmations;
    private final List<String> dropped;
    private final List<String> state;

    /** @param texts as {@link Bindings#ledgerStep} gives them */
    LoadStep(final String[] texts) {
        this.masters = masters(texts[0]);
        this.details = texts[1];
        this.refused = refused(texts[2]);
        this.confirmations = texts[3];
        this.dropped = texts[4].isEmpty() ? Collections.emptyList()
                : Collections.unmodifiableList(Arrays.asList(texts[4].split("\n")));
        this.state = Collections.unmodifiableList(Arrays.asList(texts).subList(FIRST_STATE, texts.length));
    }

    private static Map<Integer, String> masters(final String lines) {
        final Map<Integer, StringBuilder> attempts = new TreeMap<>();
        for (final String line : lines.split("\n")) {
            final int tab = line.indexOf('\t');
            if (tab > 0) {
                attempts.computeIfAbsent(Integer.valueOf(line.substring(0, tab)), attempt -> new StringBuilder())
                        .append(line, tab + 1, line.length()).append('\n');
            }
        }
        final Map<Integer, String> masters = new TreeMap<>();
        attempts.forEach((attempt, records) -> masters.put(attempt, records.toString()));
        return Collections.unmodifiableMap(masters);
    }

    private static Map<Integer, String> refused(final String lines) {
        final Map<Integer, String> reasons = new HashMap<>();
        for (final String line : lines.split("\n")) {
            final int tab = line.indexOf('\t');
            if (tab > 0) {
                reasons.put(Integer.valueOf(line.substring(0, tab)), line.substring(tab + 1));
            }
        }
        return Collections.unmodifiableMap(reasons);
    }

    /**
     * Records for load_log_master, one a line of JSON, by the attempt that they tell of: 1 for the first run of a batch,
     * and each replay opens the next.
     */
    public Map<Integer, String> masters() {
        return masters;
    }

    /** Records for load_log_detail, one a line of JSON; empty when there are none. */
    public String details() {
        return details;
    }

    /** Why events changed nothing, by their place in the order they were added, from 0. */
    public Map<Integer, String> refused() {
        return refused;
    }

    /** What to tell the ledger once the records have left; empty when there is nothing to tell. */
    public String confirmations() {
        return confirmations;
    }

    /** The ended batches that had to make room. */
    public List<String> dropped() {
        return dropped;
    }

    /** The texts of the ledger, in order; none when no batch is open. */
    public List<String> state() {
        return state;
    }
}
