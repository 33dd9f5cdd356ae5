package dev.rowhash.nifi.kudu;

import java.util.ArrayList;
import java.util.List;
import org.apache.kudu.client.Operation;

/** Rows that are sent together, and those between them that were refused before. */
final class RowBatch {

    static final class Row {
        private final FlowFileLoad owner;
        private final long number;
        private final SourceRow source;
        private final Operation operation;
        private final String refusal;
        private final String reject;

        private Row(final FlowFileLoad owner, final SourceRow source, final Operation operation) {
            this.owner = owner;
            this.number = owner.next();
            this.source = source;
            this.operation = operation;
            this.refusal = null;
            this.reject = null;
        }

        private Row(final FlowFileLoad owner, final SourceRow source, final String refusal) {
            this.owner = owner;
            this.number = owner.next();
            this.source = null;
            this.operation = null;
            this.refusal = refusal;
            this.reject = owner.reject(number, refusal, source);
        }

        /** Null for a row that was refused before. */
        Operation operation() {
            return operation;
        }

        FlowFileLoad owner() {
            return owner;
        }

        /** @param serverRefusal null if the server took the row, or never saw it */
        void settle(final String serverRefusal) {
            if (refusal != null) {
                owner.refuse(number, refusal, reject);
            } else if (serverRefusal != null) {
                owner.refuse(number, serverRefusal, owner.reject(number, serverRefusal, source));
            } else {
                owner.loaded();
            }
        }
    }

    private final List<Row> rows = new ArrayList<>();
    private int operations;
    private long bytes;

    void add(final FlowFileLoad owner, final SourceRow source, final Operation operation, final int size) {
        rows.add(new Row(owner, source, operation));
        operations++;
        bytes += size;
    }

    /** It waits for those before it as the line that it becomes, which counts as those do that are sent. */
    void addRefused(final FlowFileLoad owner, final SourceRow source, final String reason) {
        final Row row = new Row(owner, source, reason);
        rows.add(row);
        bytes += (long) Character.BYTES * row.reject.length();
    }

    List<Row> rows() {
        return rows;
    }

    int operations() {
        return operations;
    }

    long bytes() {
        return bytes;
    }
}
