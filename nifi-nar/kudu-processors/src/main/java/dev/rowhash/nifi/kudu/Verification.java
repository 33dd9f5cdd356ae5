package dev.rowhash.nifi.kudu;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.kudu.client.KuduException;
import org.apache.nifi.components.ConfigVerificationResult;
import org.apache.nifi.components.ConfigVerificationResult.Outcome;

/** The Verify button: does anybody listen, does Kudu answer, is the table there, what is in it. */
final class Verification {

    static final String REACH = "Reach a Kudu master";
    static final String ASK = "Ask Kudu";
    static final String TABLE = "Open the table";

    private final KuduConnection kudu;

    Verification(final KuduConnection kudu) {
        this.kudu = kudu;
    }

    List<ConfigVerificationResult> run(final String table) {
        final List<ConfigVerificationResult> results = new ArrayList<>();
        try {
            kudu.check();
            results.add(result(REACH, Outcome.SUCCESSFUL, "A master of " + kudu.addresses() + " accepts connections"));
        } catch (final KuduUnavailable e) {
            results.add(result(REACH, Outcome.FAILED, e.getMessage() + ": correct Kudu Masters, or start Kudu"));
            results.add(result(ASK, Outcome.SKIPPED, "No master can be reached"));
            results.add(result(TABLE, Outcome.SKIPPED, "No master can be reached"));
            return results;
        }
        try {
            final int tables = kudu.tablesLike("").size();
            results.add(result(ASK, Outcome.SUCCESSFUL, "Kudu answers and shows " + tables + " tables"));
        } catch (final KuduUnavailable | KuduException e) {
            results.add(result(ASK, Outcome.FAILED, e.getMessage()));
            results.add(result(TABLE, Outcome.SKIPPED, "Kudu does not answer"));
            return results;
        }
        results.add(openTable(table));
        return results;
    }

    private ConfigVerificationResult openTable(final String name) {
        if (name == null || name.trim().isEmpty()) {
            return result(TABLE, Outcome.SKIPPED, "Table Name is empty with the given attributes: add those that it is taken"
                    + " from in the dialog that Verify opens");
        }
        try {
            final TargetTable table = kudu.reopen(name);
            return result(TABLE, Outcome.SUCCESSFUL, name + " has the columns " + table.columns().stream()
                    .map(column -> column.getName() + " " + column.getType().name() + (column.isKey() ? " (key)"
                            : column.isNullable() ? "" : " (not null)"))
                    .collect(Collectors.joining(", ")) + ". Each record must have a field for "
                    + String.join(", ", table.keyColumns()));
        } catch (final KuduUnavailable | TableUnavailable e) {
            return result(TABLE, Outcome.FAILED, e.getMessage());
        }
    }

    private static ConfigVerificationResult result(final String step, final Outcome outcome, final String explanation) {
        return new ConfigVerificationResult.Builder()
                .verificationStepName(step).outcome(outcome).explanation(explanation).build();
    }
}
