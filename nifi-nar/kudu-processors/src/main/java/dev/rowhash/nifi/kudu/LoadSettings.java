package dev.rowhash.nifi.kudu;

import java.util.Optional;
import org.apache.nifi.record.path.FieldValue;
import org.apache.nifi.record.path.RecordPath;
import org.apache.nifi.serialization.record.Record;

/** What the properties say of all FlowFiles. */
final class LoadSettings {

    private final RowRules rules;
    private final int mostRows;
    private final long mostBytes;
    private final RecordPath operationPath;
    private final RecordPath dataPath;

    /**
     * @param operationPath null when the operation is that of the FlowFile
     * @param dataPath null when the record itself is the row
     */
    LoadSettings(final RowRules rules, final int mostRows, final long mostBytes, final RecordPath operationPath,
                 final RecordPath dataPath) {
        this.rules = rules;
        this.mostRows = mostRows;
        this.mostBytes = mostBytes;
        this.operationPath = operationPath;
        this.dataPath = dataPath;
    }

    RowRules rules() {
        return rules;
    }

    int mostRows() {
        return mostRows;
    }

    long mostBytes() {
        return mostBytes;
    }

    boolean recordsNameOperations() {
        return operationPath != null;
    }

    /** What the record itself says is to be done with it. */
    OperationType operation(final Record record) throws RowRefused {
        final Object value = evaluate("Operation RecordPath", operationPath, record);
        final Optional<OperationType> type = value == null ? Optional.empty() : OperationType.of(value.toString());
        return type.orElseThrow(() -> new RowRefused("Operation RecordPath gives "
                + (value == null ? "nothing" : Texts.shown(value)) + " for this record: it must give one of "
                + OperationType.NAMES));
    }

    /** The record that is the row. */
    Record data(final Record record) throws RowRefused {
        if (dataPath == null) {
            return record;
        }
        final Object value = evaluate("Data RecordPath", dataPath, record);
        if (!(value instanceof Record)) {
            throw new RowRefused("Data RecordPath gives " + (value == null ? "nothing" : Texts.shown(value))
                    + " for this record: it must give a record");
        }
        return (Record) value;
    }

    private static Object evaluate(final String property, final RecordPath path, final Record record) throws RowRefused {
        try {
            return path.evaluate(record).getSelectedFields().findFirst().map(FieldValue::getValue).orElse(null);
        } catch (final RuntimeException e) {
            // Its functions throw what they like.
            throw new RowRefused(property + " cannot be evaluated for this record: " + e);
        }
    }
}
