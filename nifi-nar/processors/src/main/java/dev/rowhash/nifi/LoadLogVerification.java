package dev.rowhash.nifi;

import dev.rowhash.nifi.jni.LoadEvents;
import dev.rowhash.nifi.jni.LoadLedger;
import dev.rowhash.nifi.jni.ReplayDecision;
import dev.rowhash.nifi.jni.ReplayDecisions;
import dev.rowhash.nifi.jni.RowHashException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.nifi.components.ConfigVerificationResult;
import org.apache.nifi.components.ConfigVerificationResult.Outcome;
import org.apache.nifi.components.PropertyDescriptor;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.serialization.RecordReaderFactory;

/** The Verify button of EmitLoadLog and ReplayLoadLog. Nothing is written. */
final class LoadLogVerification {

    static final String STATE = "Read the load log's state";
    static final String BATCH = "Find the batch in the attributes";
    static final String READER = "Find the Record Reader";
    static final String KNOWN_RECORD = "Decide for a known record";

    /** What becomes of the known record. */
    static final String KNOWN_DECISION = "line with retry 2";

    private static final int RETRIES = 3;
    private static final Map<String, String> RECORD = new HashMap<>();

    static {
        RECORD.put("src_type", "NAS");
        RECORD.put("regn", "R01");
        RECORD.put("db_name", "bronze");
        RECORD.put("table_name", "calls");
        RECORD.put("base_dts", "20260225143000");
        RECORD.put("detail_seq", "7");
        RECORD.put("retry_count", "1");
        RECORD.put("line_content", "a line");
    }

    private LoadLogVerification() {
    }

    /** @param state that of the last start: NiFi gives a context for verification another one, which holds nothing */
    static List<ConfigVerificationResult> ofLog(final ProcessContext context, final Optional<LedgerState> state,
                                                final Map<String, String> attributes) {
        final List<ConfigVerificationResult> results = new ArrayList<>();
        results.add(Verification.loadLibrary());
        if (results.get(0).getOutcome() == Outcome.FAILED) {
            results.addAll(Verification.skipped(STATE, BATCH));
            return results;
        }
        final LoadLedger ledger = new LoadLedger(Duration.ZERO, Duration.ZERO, Duration.ZERO, false);
        results.add(state.map(known -> readState(ledger, known)).orElseGet(() -> Verification.result(STATE, Outcome.SKIPPED,
                "NiFi shows its state only to a processor that was started: start it once, and verify again")));
        results.add(findBatch(ledger, context, attributes));
        return results;
    }

    private static ConfigVerificationResult readState(final LoadLedger ledger, final LedgerState state) {
        try {
            final List<String> texts = state.look();
            final int size = texts.stream().mapToInt(String::length).sum();
            return Verification.result(STATE, Outcome.SUCCESSFUL, "It can be read. " + ledger.openBatches(texts)
                    + " batches are in it, open or final a short while ago, in " + size + " of 1,000,000 characters");
        } catch (final LedgerUnavailable | IllegalStateException | RowHashException e) {
            return Verification.result(STATE, Outcome.FAILED, e.getMessage());
        }
    }

    private static ConfigVerificationResult findBatch(final LoadLedger ledger, final ProcessContext context,
                                                      final Map<String, String> attributes) {
        if (attributes.isEmpty()) {
            return Verification.result(BATCH, Outcome.SKIPPED, "No attributes were given: add them in the dialog that Verify"
                    + " opens, as a FlowFile of the queue before this processor has them");
        }
        final LoadEvents events = ledger.events();
        final Map<String, String> fields = new HashMap<>();
        for (final String field : ledger.fields()) {
            fields.put(field, field(context, attributes, field));
        }
        events.add(fields::get);
        final String refusal = ledger.step(Collections.emptyList(), events, 0).refused().get(0);
        final String batch = Stream.of("src_type", "regn", "db_name", "table_name", "base_dts").map(fields::get)
                .collect(Collectors.joining(", "));
        return refusal == null
                ? Verification.result(BATCH, Outcome.SUCCESSFUL, "A FlowFile with them would be logged in the batch " + batch)
                : Verification.result(BATCH, Outcome.FAILED, "A FlowFile with them would go to failure: " + refusal);
    }

    private static String field(final ProcessContext context, final Map<String, String> attributes, final String field) {
        final PropertyDescriptor property = EmitLoadLog.FIELDS.get(field);
        return property == null
                ? EventReader.attribute(field, attributes)
                : context.getProperty(property).evaluateAttributeExpressions(attributes).getValue();
    }

    static List<ConfigVerificationResult> ofReplay(final ProcessContext context) {
        final List<ConfigVerificationResult> results = new ArrayList<>();
        results.add(Verification.loadLibrary());
        if (results.get(0).getOutcome() == Outcome.FAILED) {
            results.addAll(Verification.skipped(READER, KNOWN_RECORD));
            return results;
        }
        results.add(findReader(context));
        results.add(decide(KNOWN_DECISION));
        return results;
    }

    private static ConfigVerificationResult findReader(final ProcessContext context) {
        final RecordReaderFactory reader = context.getProperty(ReplayLoadLog.RECORD_READER)
                .asControllerService(RecordReaderFactory.class);
        return reader == null
                ? Verification.result(READER, Outcome.FAILED, "There is none: choose a Record Reader that reads the result of the"
                        + " re-run query, such as a JsonTreeReader")
                : Verification.result(READER, Outcome.SUCCESSFUL, "It is " + reader.getIdentifier());
    }

    /** @param right what must become of the known record */
    static ConfigVerificationResult decide(final String right) {
        try {
            final ReplayDecisions decisions = new ReplayDecisions();
            decisions.add(RECORD::get);
            final ReplayDecision decision = decisions.decide(RETRIES, 0).get(0);
            final String decided = decision.failure().map(reason -> "failure, " + reason)
                    .orElseGet(() -> decision.relationship() + " with retry " + decision.retryCount());
            return decided.equals(right)
                    ? Verification.result(KNOWN_RECORD, Outcome.SUCCESSFUL, "A line that failed twice goes to " + decided
                            + ", as it must")
                    : Verification.result(KNOWN_RECORD, Outcome.FAILED, "A line that failed twice goes to " + decided
                            + "; right is " + right + ": the native library is damaged, install the NAR again");
        } catch (final RowHashException e) {
            return Verification.result(KNOWN_RECORD, Outcome.FAILED, e.getMessage());
        }
    }
}
