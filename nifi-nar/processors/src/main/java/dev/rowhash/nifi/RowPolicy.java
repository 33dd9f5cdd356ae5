package dev.rowhash.nifi;

import dev.rowhash.nifi.jni.HashedRow;
import dev.rowhash.nifi.jni.RowHashException;
import java.util.List;
import java.util.Optional;
import org.apache.nifi.context.PropertyContext;

/** Which rows with a hash are refused nevertheless, and what is said of them. */
final class RowPolicy {

    /** What a message has for the name of a column that is not known yet. */
    static final String ANY_COLUMN = "{column}";

    private final List<String> columns;
    private final boolean refuseAmbiguous;
    private final boolean refuseWithoutValues;

    RowPolicy(final PropertyContext context, final List<String> columns) {
        this.columns = columns;
        this.refuseAmbiguous = ComputeRowHash.ROUTE_TO_FAILURE.equals(
                context.getProperty(ComputeRowHash.AMBIGUOUS_ROWS).getValue());
        this.refuseWithoutValues = ComputeRowHash.ROUTE_TO_FAILURE.equals(
                context.getProperty(ComputeRowHash.ROWS_WITHOUT_VALUES).getValue());
    }

    boolean refusesAmbiguous() {
        return refuseAmbiguous;
    }

    boolean refusesWithoutValues() {
        return refuseWithoutValues;
    }

    /** Why the row goes to failure, if it does. */
    Optional<String> refusal(final HashedRow row) {
        if (row.refusal().isPresent()) {
            return row.refusal();
        }
        if (row.isWithoutValues() && refuseWithoutValues) {
            return Optional.of(withoutValues());
        }
        return refuseAmbiguous ? row.ambiguousColumn().map(RowPolicy::ambiguous) : Optional.empty();
    }

    String withoutValues() {
        return "None of the columns " + String.join(", ", columns) + " has a value, so this row would share its hash with"
                + " every other such row. Check that the processors before this one give the values these very names,"
                + " or set Rows Without Values to Allow.";
    }

    static String ambiguous(final String column) {
        return "Column '" + column + "' has a value with | in it or that is exactly \\N, so another row can have the same"
                + " hash. Correct the value, or set Ambiguous Rows to Allow to load it as the Groovy script did;"
                + " for a new table set Canonical Form to Escaped.";
    }

    static String nativeFailure(final RowHashException failure) {
        return "The row could not be hashed: " + failure.getMessage() + ". It is as it came: keep it, report the"
                + " message with the version of the NAR, and send it through again when that is cured.";
    }
}
