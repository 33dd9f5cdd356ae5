package dev.rowhash.nifi.kudu;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kudu.client.Operation;
import org.apache.kudu.client.PartialRow;
import org.apache.nifi.serialization.record.Record;
import org.apache.nifi.serialization.record.RecordField;
import org.apache.nifi.serialization.record.RecordSchema;

/** Which field of a schema goes into which column of a table. */
final class RowPlan {

    private static final int BYTES_A_ROW = 32;

    private final TargetTable table;
    private final RecordSchema schema;
    private final Set<String> fieldNames;
    private final boolean ignoreNull;
    private final boolean ignoreUnknown;
    private final List<RecordField> fields = new ArrayList<>();
    private final List<Cell> cells = new ArrayList<>();
    private final List<RecordField> unknown = new ArrayList<>();
    private final List<String> names = new ArrayList<>();

    private int bytes;

    RowPlan(final RecordSchema schema, final TargetTable table, final RowRules rules) throws FlowFileRefused {
        this.table = table;
        this.schema = schema;
        this.fieldNames = new HashSet<>(schema.getFieldNames());
        this.ignoreNull = rules.ignoresNull();
        this.ignoreUnknown = rules.ignoresUnknown();
        final Map<String, String> taken = new HashMap<>();
        for (final RecordField field : schema.getFields()) {
            final String name = rules.lowersNames() ? field.getFieldName().toLowerCase(Locale.ROOT) : field.getFieldName();
            final Integer index = table.index(name);
            if (index == null) {
                if (!ignoreUnknown) {
                    unknown.add(field);
                }
                continue;
            }
            final String other = taken.put(name, field.getFieldName());
            if (other != null) {
                throw new FlowFileRefused("The fields " + other + " and " + field.getFieldName() + " both are the column " + name
                        + ": remove one of them");
            }
            fields.add(field);
            names.add(name);
            cells.add(new Cell(table.columns().get(index), index, rules.times()));
        }
    }

    TargetTable table() {
        return table;
    }

    boolean hasUnknownFields() {
        return !unknown.isEmpty();
    }

    /** The columns that no row of this schema can fill, though it must. */
    List<String> missing(final OperationType type) {
        final List<String> needed = new ArrayList<>(table.keyColumns());
        if (type != null && type.needsEachRequiredColumn()) {
            needed.addAll(table.requiredColumns());
        }
        needed.removeAll(names);
        return needed;
    }

    String missingMessage(final List<String> missing) {
        final String unmatched = unknown.isEmpty() ? "" : " Fields without a column: "
                + unknown.stream().map(RecordField::getFieldName).collect(Collectors.joining(", ")) + ".";
        return "The records have no field for " + String.join(", ", missing) + ", which the table " + table.name()
                + " needs in each row; nothing is written." + unmatched
                + " Correct the names, or add what is missing, in the flow before this processor";
    }

    /** @throws RowRefused with the reason, which needs no more than the row to be understood */
    Operation operation(final Record record, final OperationType type) throws RowRefused {
        if (!ignoreUnknown) {
            refuseUnknown(record);
        }
        final Operation operation = type.on(table.table());
        final PartialRow row = operation.getRow();
        bytes = BYTES_A_ROW;
        for (int i = 0; i < cells.size(); i++) {
            final Cell cell = cells.get(i);
            if (type.writesKeyOnly() && !cell.column().isKey()) {
                continue;
            }
            final Object value = record.getValue(fields.get(i));
            if (value != null) {
                bytes += cell.set(row, value);
            } else if (!ignoreNull || cell.column().isKey()) {
                cell.setNull(row);
            }
        }
        return operation;
    }

    private void refuseUnknown(final Record record) throws RowRefused {
        for (final RecordField field : unknown) {
            if (record.getValue(field) != null) {
                throw new RowRefused("The table " + table.name() + " has no column for the field " + field.getFieldName()
                        + ": correct its name, add the column, or set Unknown Fields to Ignore");
            }
        }
        // What the reader has seen beside its schema.
        for (final String name : record.getRawFieldNames()) {
            if (!fieldNames.contains(name) && !schema.getField(name).isPresent() && record.getValue(name) != null) {
                throw new RowRefused("The record reader's schema does not name the field " + name + ", so that its value would"
                        + " be lost: correct the name, add it to the schema, or set Unknown Fields to Ignore");
            }
        }
    }

    /** The value of a field as JSON has to hold it for this table. */
    Object forJson(final String field, final Object value) {
        for (int i = 0; i < fields.size(); i++) {
            if (fields.get(i).getFieldName().equals(field)) {
                return cells.get(i).forJson(value);
            }
        }
        return value;
    }

    /** About how many bytes the last operation takes in a request. */
    int bytes() {
        return bytes;
    }
}
