package dev.rowhash.nifi.jni;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The load log's rules for when a batch is final and what is written about it. The ledger itself,
 * some texts, is the caller's: it goes in and comes out changed. Safe for many threads.
 */
public final class LoadLedger {

    private final List<String> fields;
    private final long[] rules;

    /**
     * Makes the rules.
     *
     * @param settle how long no new unit may come before a batch is final
     * @param timeout how long nothing may come before what is missing counts as failed
     * @param retention how long a final batch is kept for what comes twice or late
     * @param logLoadedItems whether each loaded item gets a detail record
     * @throws RowHashException if the native library cannot be loaded
     */
    public LoadLedger(final Duration settle, final Duration timeout, final Duration retention, final boolean logLoadedItems) {
        NativeLibrary.get();
        this.fields = Collections.unmodifiableList(Arrays.asList(Bindings.eventFields()));
        this.rules = new long[] {settle.toMillis(), timeout.toMillis(), retention.toMillis(), logLoadedItems ? 1 : 0};
    }

    /** The names of an event's fields. */
    public List<String> fields() {
        return fields;
    }

    public LoadEvents events() {
        return new LoadEvents(fields);
    }

    /**
     * Applies events that are seen at a time, or only that time. The same events again give the same records.
     *
     * @param state the ledger's texts, in order; none for a new ledger
     * @param now epoch milliseconds
     * @throws IllegalStateException if the state is none of this version, or would become too large to be kept; the
     *     message says what to do
     * @throws RowHashException if the native library fails
     */
    public LoadStep step(final List<String> state, final LoadEvents events, final long now) {
        final Cells cells = events.cells();
        return new LoadStep(Bindings.ledgerStep(state.toArray(new String[0]), cells.values(), cells.lengths(), cells.rows(),
                now, rules));
    }

    /**
     * How many batches are open.
     *
     * @param state the ledger's texts, in order; none for a new ledger
     * @throws IllegalStateException if the state is none of this version; the message says what to do
     * @throws RowHashException if the native library fails
     */
    public int openBatches(final List<String> state) {
        return Bindings.openBatches(state.toArray(new String[0]));
    }

    /**
     * Tells the ledger that the records of a step have left; until then it makes them again.
     *
     * @param confirmations those of the step, not empty
     * @return the ledger's texts after that
     * @throws IllegalStateException as for {@link #step}
     * @throws RowHashException if the native library fails
     */
    public List<String> confirm(final List<String> state, final String confirmations, final long now) {
        return Arrays.asList(Bindings.ledgerConfirm(state.toArray(new String[0]), confirmations, now, rules));
    }
}
