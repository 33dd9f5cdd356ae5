package dev.rowhash.nifi.kudu;

import com.stumbleupon.async.Deferred;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kudu.client.AsyncKuduSession;
import org.apache.kudu.client.KuduException;
import org.apache.kudu.client.Operation;
import org.apache.kudu.client.OperationResponse;
import org.apache.kudu.client.RowError;
import org.apache.kudu.client.Status;
import org.apache.nifi.logging.ComponentLog;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.exception.FlowFileAccessException;
import org.apache.nifi.processor.exception.MissingFlowFileException;
import org.apache.nifi.schema.access.SchemaNotFoundException;
import org.apache.nifi.serialization.MalformedRecordException;
import org.apache.nifi.serialization.RecordReader;
import org.apache.nifi.serialization.RecordReaderFactory;
import org.apache.nifi.serialization.record.Record;
import org.apache.nifi.serialization.record.RecordSchema;
import org.apache.nifi.serialization.record.util.IllegalTypeConversionException;

/**
 * The rows of a trigger on their way into Kudu. While one batch is on its way the next one is read. Flushed by hand, the
 * client answers for each row in its place, so that no error is lost in a collector that is full.
 */
final class LoadPass {

    private final KuduConnection connection;
    private final LoadSettings settings;
    private final RecordReaderFactory readers;
    private final ProcessSession session;
    private final ComponentLog logger;
    private final Set<String> fresh = new HashSet<>();

    private AsyncKuduSession kudu;
    private RowBatch batch = new RowBatch();
    private RowBatch sent;
    /** The one whose rows are being settled. */
    private FlowFileLoad current;
    private Deferred<List<OperationResponse>> answer;

    LoadPass(final KuduConnection connection, final LoadSettings settings, final RecordReaderFactory readers,
             final ProcessSession session, final ComponentLog logger) {
        this.connection = connection;
        this.settings = settings;
        this.readers = readers;
        this.session = session;
        this.logger = logger;
    }

    /** Whether the table was opened in this very pass, so that an old schema is no reason for anything. */
    boolean isFresh(final String table) {
        return fresh.contains(table);
    }

    /** Opens the table, if it is not open. */
    void open(final String table) throws KuduUnavailable, TableUnavailable {
        if (!connection.isOpen(table)) {
            reopen(table);
        }
    }

    /** @param type null when each record names its own */
    void load(final FlowFileLoad load, final OperationType type) throws KuduUnavailable, TableUnavailable {
        try (InputStream in = session.read(load.flowFile());
                RecordReader reader = reader(load, in)) {
            RecordSchema schema = null;
            RowPlan plan = null;
            for (Record record = next(reader); record != null; record = next(reader)) {
                Record data = null;
                try {
                    data = settings.data(record);
                    if (data.getSchema() != schema) {
                        plan = plan(data.getSchema(), connection.table(load.table()), type);
                        schema = data.getSchema();
                    }
                    add(load, new SourceRow(record, data, plan), plan, type);
                } catch (final RowRefused e) {
                    refuse(load, new SourceRow(record, data, plan), e.getMessage());
                } catch (final FlowFileRefused e) {
                    if (load.rows() == 0) {
                        throw e;
                    }
                    // Records before it had other fields.
                    refuse(load, new SourceRow(record, data, null), e.getMessage());
                }
                if (batch.rows().size() >= settings.mostRows()) {
                    flush();
                }
            }
        } catch (final FlowFileRefused e) {
            load.fail(e.getMessage());
        } catch (final IOException | MalformedRecordException | SchemaNotFoundException | IllegalTypeConversionException e) {
            // Where the content itself is gone, the session says so by exceptions of its own.
            fail(load, e);
        }
    }

    private RecordReader reader(final FlowFileLoad load, final InputStream in)
            throws IOException, MalformedRecordException, SchemaNotFoundException {
        try {
            return readers.createRecordReader(load.flowFile(), in, logger);
        } catch (final RuntimeException e) {
            throw broken(e);
        }
    }

    private Record next(final RecordReader reader) throws IOException, MalformedRecordException {
        try {
            // Values as they are: what does not fit its column is the failure of one row, not of the file. And fields
            // that the reader's schema does not name, for a misspelt one to be seen.
            return reader.nextRecord(false, settings.rules().ignoresUnknown());
        } catch (final RuntimeException e) {
            throw broken(e);
        }
    }

    /** Some readers report a content that is broken by exceptions that are not declared. */
    private static MalformedRecordException broken(final RuntimeException e) {
        if (isOfRepository(e)) {
            throw e;
        }
        return new MalformedRecordException(reason(e), e);
    }

    /** Whether the content itself cannot be had, which is no fault of it: the session rolls back then. */
    private static boolean isOfRepository(final Throwable thrown) {
        for (Throwable e = thrown; e != null; e = e.getCause()) {
            if (e instanceof FlowFileAccessException || e instanceof MissingFlowFileException) {
                return true;
            }
        }
        return false;
    }

    private void fail(final FlowFileLoad load, final Exception e) throws KuduUnavailable, TableUnavailable {
        // What was read before is settled first, for the message to be true.
        settleAll();
        load.fail("Row " + (load.rows() + 1) + " cannot be read: " + reason(e) + ". Of the " + load.rows() + " rows before it "
                + load.loadedRows() + " are loaded, what follows is not; correct the content and send it here again as a whole");
    }

    private static String reason(final Throwable e) {
        final String own = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        final Throwable cause = e.getCause();
        return cause == null || cause.getMessage() == null || own.contains(cause.getMessage()) ? own
                : own + ": " + cause.getMessage();
    }

    private TargetTable reopen(final String name) throws KuduUnavailable, TableUnavailable {
        fresh.add(name);
        return connection.reopen(name);
    }

    /** What does not fit the table may fit the table as it is by now. */
    private RowPlan plan(final RecordSchema schema, final TargetTable table, final OperationType type)
            throws FlowFileRefused, KuduUnavailable, TableUnavailable {
        RowPlan plan = new RowPlan(schema, table, settings.rules());
        if ((plan.hasUnknownFields() || !plan.missing(type).isEmpty()) && !fresh.contains(table.name())) {
            // Rows of the old table and of the new one are not sent in one batch.
            settleAll();
            final TargetTable now = reopen(table.name());
            if (!now.isSameAs(table)) {
                plan = new RowPlan(schema, now, settings.rules());
            }
        }
        final List<String> missing = plan.missing(type);
        if (!missing.isEmpty()) {
            throw new FlowFileRefused(plan.missingMessage(missing));
        }
        return plan;
    }

    private void add(final FlowFileLoad load, final SourceRow source, final RowPlan plan, final OperationType type)
            throws RowRefused, KuduUnavailable, TableUnavailable {
        final Operation operation = operation(source, plan, type == null ? settings.operation(source.record()) : type);
        if (plan.bytes() > settings.mostBytes()) {
            throw new RowRefused("The row has about " + plan.bytes() + " bytes, more than Max Bytes per Batch");
        }
        if (batch.bytes() + plan.bytes() > settings.mostBytes()) {
            flush();
        }
        batch.add(load, source, operation, plan.bytes());
    }

    private static Operation operation(final SourceRow source, final RowPlan plan, final OperationType type) throws RowRefused {
        try {
            return plan.operation(source.data(), type);
        } catch (final RuntimeException e) {
            if (isOfRepository(e)) {
                throw e;
            }
            // Thrown on, it would come again for ever, and keep the rows behind it waiting.
            throw new RowRefused("The row cannot be made one of the table: " + e);
        }
    }

    private void refuse(final FlowFileLoad load, final SourceRow source, final String reason)
            throws KuduUnavailable, TableUnavailable {
        batch.addRefused(load, source, reason);
        if (batch.bytes() > settings.mostBytes()) {
            flush();
        }
    }

    /** Sends what is there, once the batch before it has its answer: so the rows of a key keep their order. */
    private void flush() throws KuduUnavailable, TableUnavailable {
        settle();
        sent = batch;
        batch = new RowBatch();
        if (sent.operations() == 0) {
            return;
        }
        if (kudu == null) {
            kudu = connection.newSession(settings.mostRows());
        }
        try {
            for (final RowBatch.Row row : sent.rows()) {
                if (row.operation() != null) {
                    kudu.apply(row.operation());
                }
            }
        } catch (final KuduException e) {
            throw new KuduUnavailable("Kudu's client takes no rows: " + e.getMessage(), e);
        }
        answer = kudu.flush();
    }

    /** Waits for the batch that is on its way. */
    private void settle() throws KuduUnavailable, TableUnavailable {
        if (sent == null) {
            return;
        }
        final List<OperationResponse> responses = responses();
        int next = 0;
        for (final RowBatch.Row row : sent.rows()) {
            if (row.owner() != current) {
                settleCurrent();
                current = row.owner();
            }
            row.settle(row.operation() == null ? null : refusal(row, responses.get(next++)));
        }
        sent = null;
        answer = null;
    }

    private void settleCurrent() {
        if (current != null) {
            current.settled();
            current = null;
        }
    }

    private List<OperationResponse> responses() throws KuduUnavailable {
        if (sent.operations() == 0) {
            return new ArrayList<>();
        }
        final List<OperationResponse> responses;
        try {
            responses = connection.join(answer);
        } catch (final KuduException e) {
            throw new KuduUnavailable("Kudu does not take the rows: " + e.getMessage(), e);
        }
        if (responses.size() != sent.operations()) {
            throw new IllegalStateException("Kudu's client was given " + sent.operations() + " rows and answered for "
                    + responses.size());
        }
        return responses;
    }

    /** Why the row was refused, null if the server took it. What is not about the row is an exception. */
    private String refusal(final RowBatch.Row row, final OperationResponse response) throws KuduUnavailable, TableUnavailable {
        // Where a request fails as a whole, one of its rows may be the reason: alone each gets an answer of its own.
        final OperationResponse own = isOfRequest(row, response) ? send(row) : response;
        if (isOfRequest(row, own) || own.hasRowError()) {
            final Status status = own.getRowError().getErrorStatus();
            return hasNoRange(status) ? "The table " + row.owner().table()
                    + " has no range partition for the row's key: add one, or correct the row" : "Kudu refused the row: " + status;
        }
        return null;
    }

    /** Whether it is the request that failed, and for a reason that sending it once more would not change. */
    private boolean isOfRequest(final RowBatch.Row row, final OperationResponse response) throws KuduUnavailable, TableUnavailable {
        if (!response.hasRowError()) {
            return false;
        }
        final RowError error = response.getRowError();
        final Status status = error.getErrorStatus();
        final Fault fault = Fault.of(status);
        final boolean ofTheRow = error.getTsUUID() != null && fault != Fault.PASSING;
        if (ofTheRow || hasNoRange(status)) {
            return false;
        }
        final String table = row.owner().table();
        if (fault == Fault.PASSING) {
            connection.check();
            reopen(table);
            throw TableUnavailable.passing(table, "Kudu's master answers, but no server takes the rows of the table " + table
                    + ": " + status + ". Look after the tablet servers; if they are well, lower Max Bytes per Batch");
        }
        // Another definition of the table may be all that it takes.
        if (fault == Fault.TABLE || !isFresh(table)) {
            throw new TableUnavailable(table, "The table " + table + " cannot be written: " + status, null);
        }
        return true;
    }

    private static boolean hasNoRange(final Status status) {
        return status.isNotFound() && String.valueOf(status).contains("range partition");
    }

    private OperationResponse send(final RowBatch.Row row) throws KuduUnavailable {
        try {
            kudu.apply(row.operation());
            return connection.join(kudu.flush()).get(0);
        } catch (final KuduException e) {
            throw new KuduUnavailable("Kudu does not take the row: " + e.getMessage(), e);
        }
    }

    private void settleAll() throws KuduUnavailable, TableUnavailable {
        flush();
        settle();
    }

    /** Sends the rest and waits for it. */
    void finish() throws KuduUnavailable, TableUnavailable {
        settleAll();
        settleCurrent();
    }
}
