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

        private Row(final FlowFileLoad owner, final SourceRow source, final Operation operation, final String refusal) {
            this.owner = owner;
            this.number = owner.next();
            this.source = source;
            this.operation = operation;
            this.refusal = refusal;
        }

        Operation operation() {
            return operation;
        }

        FlowFileLoad owner() {
            return owner;
        }

        /** @param serverRefusal null if the server took the row, or never saw it */
        void settle(final String serverRefusal) {
            final String message = refusal == null ? serverRefusal : refusal;
            if (message == null) {
                owner.loaded();
            } else {
                owner.refuse(number, message, source);
            }
        }
    }

    private final List<Row> rows = new ArrayList<>();
    private int operations;
    private long bytes;

    void add(final FlowFileLoad owner, final SourceRow source, final Operation operation, final int size) {
        rows.add(new Row(owner, source, operation, null));
        operations++;
        bytes += size;
    }

    void addRefused(final FlowFileLoad owner, final SourceRow source, final String reason) {
        rows.add(new Row(owner, source, null, reason));
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
