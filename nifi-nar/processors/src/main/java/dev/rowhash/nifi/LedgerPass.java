package dev.rowhash.nifi;

import dev.rowhash.nifi.jni.LoadEvents;
import dev.rowhash.nifi.jni.LoadLedger;
import dev.rowhash.nifi.jni.LoadStep;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.Relationship;

/** One try to bring the events of a trigger into the ledger: from the state as it was read to the new one. */
final class LedgerPass implements EventReader.Sink {

    /** So that many huge events are not copied into one huge array. */
    private static final int MAX_CHARACTERS_A_CALL = 4 * 1024 * 1024;

    private final LoadLedger ledger;
    private final long now;
    private final ProcessSession session;
    private final FlowFile parent;
    /** One an attempt, since the records do not tell it: the tables have no such column. */
    private final Map<Integer, RecordsFlowFile> masters = new TreeMap<>();
    private final RecordsFlowFile details;
    private final Map<FlowFile, String> refused = new LinkedHashMap<>();
    private final List<String> confirmations = new ArrayList<>();
    private final List<String> dropped = new ArrayList<>();

    private List<String> state;
    private LoadEvents events;
    private final List<Source> sources = new ArrayList<>();
    private int applied;

    LedgerPass(final LoadLedger ledger, final ProcessSession session, final FlowFile parent, final List<String> state,
               final long now) {
        this.ledger = ledger;
        this.now = now;
        this.state = state;
        this.events = ledger.events();
        this.session = session;
        this.parent = parent;
        this.details = new RecordsFlowFile(session, parent, "load_log_detail");
    }

    void read(final List<FlowFile> flowFiles, final EventReader reader) throws LedgerUnavailable {
        for (final FlowFile flowFile : flowFiles) {
            reader.read(flowFile, this);
        }
        step();
    }

    @Override
    public void event(final FlowFile flowFile, final int line, final Function<String, String> fields)
            throws LedgerUnavailable {
        events.add(fields);
        sources.add(new Source(flowFile, line));
        if (events.characters() >= MAX_CHARACTERS_A_CALL) {
            step();
        }
    }

    @Override
    public void refuse(final FlowFile flowFile, final String reason) {
        refused.putIfAbsent(flowFile, reason);
    }

    private void step() throws LedgerUnavailable {
        final LoadStep step;
        try {
            step = ledger.step(state, events, now);
        } catch (final IllegalStateException e) {
            throw new LedgerUnavailable("The load log cannot go on: " + e.getMessage() + ". The FlowFiles stay queued", e);
        }
        state = step.state();
        step.masters().forEach((attempt, records) -> masters.computeIfAbsent(attempt, this::mastersOf).add(records));
        details.add(step.details());
        new TreeMap<>(step.refused()).forEach((event, reason) -> sources.get(event).refuse(reason));
        if (!step.confirmations().isEmpty()) {
            confirmations.add(step.confirmations());
        }
        dropped.addAll(step.dropped());
        applied += sources.size() - step.refused().size();
        events = ledger.events();
        sources.clear();
    }

    private RecordsFlowFile mastersOf(final int attempt) {
        return new RecordsFlowFile(session, parent, "load_log_master",
                Collections.singletonMap(EmitLoadLog.ATTEMPT, Integer.toString(attempt)));
    }

    /** Where an event comes from. */
    private final class Source {
        private final FlowFile flowFile;
        private final int line;

        private Source(final FlowFile flowFile, final int line) {
            this.flowFile = flowFile;
            this.line = line;
        }

        private void refuse(final String reason) {
            LedgerPass.this.refuse(flowFile, line == 0 ? reason : "Line " + line + " of the rejects is not logged: " + reason);
        }
    }

    /** The ledger's texts after all events. */
    List<String> state() {
        return state;
    }

    /** Why a FlowFile is no event, or some of its rejects are none. */
    Map<FlowFile, String> refused() {
        return Collections.unmodifiableMap(refused);
    }

    List<String> confirmations() {
        return Collections.unmodifiableList(confirmations);
    }

    /** The batches that had to make room in the state. */
    List<String> dropped() {
        return Collections.unmodifiableList(dropped);
    }

    int events() {
        return applied;
    }

    int masterRecords() {
        return masters.values().stream().mapToInt(RecordsFlowFile::records).sum();
    }

    int detailRecords() {
        return details.records();
    }

    void transfer(final Relationship master, final Relationship detail) {
        masters.values().forEach(records -> records.transfer(master));
        details.transfer(detail);
    }

    void discard() {
        masters.values().forEach(RecordsFlowFile::discard);
        details.discard();
    }
}
