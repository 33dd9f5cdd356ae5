package dev.rowhash.nifi.kudu;

import org.apache.nifi.serialization.record.Record;

/** A record, and the record in it that is the row. */
final class SourceRow {

    private final Record record;
    private final Record data;
    private final RowPlan plan;

    /** @param plan null where it never came to one */
    SourceRow(final Record record, final Record data, final RowPlan plan) {
        this.record = record;
        this.data = data;
        this.plan = plan;
    }

    Record record() {
        return record;
    }

    Record data() {
        return data;
    }

    /** The field's value as JSON has to hold it, so that it can be loaded again. */
    Object forJson(final Record of, final String field) {
        final Object value = of.getValue(field);
        return plan == null || of != data ? value : plan.forJson(field, value);
    }
}
