package dev.rowhash.nifi;

import dev.rowhash.nifi.ContentRows.Outcome;
import dev.rowhash.nifi.ContentRows.RefusedContent;
import dev.rowhash.nifi.jni.HashedRow;
import dev.rowhash.nifi.jni.RecordBatch;
import dev.rowhash.nifi.jni.RowHashException;
import dev.rowhash.nifi.jni.RowHasher;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.logging.ComponentLog;
import org.apache.nifi.schema.access.SchemaNotFoundException;
import org.apache.nifi.serialization.MalformedRecordException;
import org.apache.nifi.serialization.RecordReader;
import org.apache.nifi.serialization.RecordReaderFactory;
import org.apache.nifi.serialization.RecordSetWriterFactory;
import org.apache.nifi.serialization.record.Record;
import org.apache.nifi.serialization.record.RecordSchema;

/** The rows of a content that a Record Reader reads and a Record Writer writes. */
final class RecordRows implements ContentRows.Source {

    private static final int ROWS_A_CALL = 256;

    /** More records than any reader holds of a content without reading on: it stands still. */
    private static final int MOST_REFUSED_WITHOUT_READING = 100_000;

    private final RowHasher hasher;
    private final RowPolicy policy;
    private final String hashColumn;
    private final RecordReaderFactory readers;
    private final RecordSetWriterFactory writers;
    private final ComponentLog logger;

    RecordRows(final RowHasher hasher, final RowPolicy policy, final String hashColumn, final RecordReaderFactory readers,
               final RecordSetWriterFactory writers, final ComponentLog logger) {
        this.hasher = hasher;
        this.policy = policy;
        this.hashColumn = hashColumn;
        this.readers = readers;
        this.writers = writers;
        this.logger = logger;
    }

    /** The hash of a known row, for a check of the library. */
    static String knownHash() {
        try (RowHasher hasher = RowHasher.open("b,a", "row_hash", ComputeRowHash.COMPATIBLE)) {
            final RecordBatch batch = hasher.recordBatch();
            batch.add(Collections.<String, Object>singletonMap("a", "x")::get);
            return batch.hash().get(0).hash();
        }
    }

    @Override
    public Outcome transfer(final FlowFile flowFile, final InputStream in, final OutputStream rows,
                            final OutputStream rejects) throws IOException {
        return new Transfer(flowFile, in, rows, rejects).run();
    }

    /** One content on its way. */
    private final class Transfer {
        private final RepositoryInput in;
        private final OutputStream rejects;
        private final HashedRecords out;
        private final FlowFile flowFile;
        private final Set<String> unseenColumns = new LinkedHashSet<>(hasher.columns());
        private final List<Record> waiting = new ArrayList<>(ROWS_A_CALL);
        private RecordBatch batch = hasher.recordBatch();
        private RecordSchema lastSchema;
        private long index = 1;
        private long records;
        private long firstWaiting;
        private long rejected;
        private long ambiguous;
        private long bytesAtRefusal = -1;
        private int refusedWithoutReading;

        private Transfer(final FlowFile flowFile, final InputStream in, final OutputStream rows, final OutputStream rejects) {
            this.flowFile = flowFile;
            this.in = new RepositoryInput(in);
            this.rejects = rejects;
            this.out = new HashedRecords(writers, flowFile, new RepositoryOutput(rows), hashColumn, logger);
        }

        private Outcome run() throws IOException {
            final RecordReader reader = open();
            try {
                see(schema(reader));
                while (readNext(reader)) {
                    index++;
                }
                hashWaiting();
                if (!unseenColumns.isEmpty() && records > 0) {
                    throw unseen();
                }
                if (rejected == 0 || out.count() > 0) {
                    out.finish(lastSchema);
                }
            } finally {
                out.close();
                close(reader);
            }
            return new Outcome(out.count(), rejected, ambiguous, out.attributes());
        }

        /** Whether there was one more record, good or bad. */
        private boolean readNext(final RecordReader reader) throws IOException {
            final Record record;
            try {
                record = next(reader);
            } catch (final RefusedRecord e) {
                hashWaiting();
                refuseUnread(e);
                return true;
            }
            if (record != null) {
                add(record);
            }
            return record != null;
        }

        /** All that counts is read, or was refused. */
        private void close(final RecordReader reader) {
            try {
                reader.close();
            } catch (final IOException | RuntimeException e) {
                logger.debug("A Record Reader cannot be closed: {}", e.toString());
            }
        }

        private RecordReader open() {
            try {
                return readers.createRecordReader(flowFile, in, logger);
            } catch (final MalformedRecordException | IOException | SchemaNotFoundException | RuntimeException e) {
                throw unreadable(e);
            }
        }

        private RecordSchema schema(final RecordReader reader) {
            try {
                return reader.getSchema();
            } catch (final MalformedRecordException | RuntimeException e) {
                throw unreadable(e);
            }
        }

        private Record next(final RecordReader reader) throws RefusedRecord {
            try {
                return reader.nextRecord();
            } catch (final MalformedRecordException e) {
                if (isOfInput(e)) {
                    throw unreadable(e);
                }
                throw new RefusedRecord(e);
            } catch (final IOException | RuntimeException e) {
                throw unreadable(e);
            }
        }

        private void see(final RecordSchema schema) {
            if (schema != lastSchema) {
                lastSchema = schema;
                unseenColumns.removeIf(column -> schema.getField(column).isPresent());
            }
        }

        private void add(final Record record) throws IOException {
            records++;
            see(record.getSchema());
            if (waiting.isEmpty()) {
                firstWaiting = index;
            }
            batch.add(record::getValue);
            waiting.add(record);
            if (waiting.size() == ROWS_A_CALL || batch.characters() >= AttributeRows.MAX_CHARACTERS_A_CALL) {
                hashWaiting();
            }
        }

        private void hashWaiting() throws IOException {
            List<HashedRow> rows;
            try {
                rows = batch.hash();
            } catch (final RowHashException e) {
                rows = Collections.emptyList(); // which row it was shows one by one
            }
            for (int i = 0; i < waiting.size(); i++) {
                take(firstWaiting + i, waiting.get(i), rows.isEmpty() ? null : rows.get(i));
            }
            waiting.clear();
            batch = hasher.recordBatch();
        }

        private void take(final long row, final Record record, final HashedRow hashed) throws IOException {
            final HashedRow known;
            try {
                known = hashed == null ? alone(record) : hashed;
            } catch (final RowHashException e) {
                reject(row, RowPolicy.nativeFailure(e), RecordJson.of(record));
                return;
            }
            ambiguous += known.ambiguousColumn().isPresent() ? 1 : 0;
            final Optional<String> refusal = policy.refusal(known);
            if (refusal.isPresent()) {
                reject(row, refusal.get(), RecordJson.of(record));
            } else {
                out.write(record, known.hash());
            }
        }

        private HashedRow alone(final Record record) {
            final RecordBatch one = hasher.recordBatch();
            one.add(record::getValue);
            return one.hash().get(0);
        }

        private void refuseUnread(final RefusedRecord refused) throws IOException {
            refusedWithoutReading = in.count() == bytesAtRefusal ? refusedWithoutReading + 1 : 0;
            bytesAtRefusal = in.count();
            if (refusedWithoutReading == MOST_REFUSED_WITHOUT_READING) {
                throw unreadable(refused.getCause());
            }
            reject(index, "The Record Reader cannot read the record: " + reason(refused.getCause()), null);
        }

        private void reject(final long row, final String message, final String line) throws IOException {
            rejected++;
            rejects.write((RecordJson.object(Rejects.ROW_INDEX, row, Rejects.ERROR_MESSAGE, message,
                    Rejects.LINE_CONTENT, line) + "\n").getBytes(StandardCharsets.UTF_8));
        }

        private RefusedContent unreadable(final Throwable e) {
            in.rethrow();
            return new RefusedContent("The records cannot be read" + (index > 1 ? " after record " + (index - 1) : "") + ": "
                    + reason(e) + ". The content is as it came and none of it was passed on: correct it, or the Record Reader"
                    + " and its schema, and send it here again.", e);
        }

        private RefusedContent unseen() {
            return new RefusedContent("No record has a field named " + String.join(", ", unseenColumns) + ", so that each row"
                    + " would be hashed as if it were empty there. The last record has the fields "
                    + String.join(", ", lastSchema.getFieldNames()) + "; upper and lower case differ. Correct Columns, or"
                    + " give the Record Reader a schema with each of them.", null);
        }
    }

    /** A record that the reader cannot make of what it has read; it can go on with the next one. */
    private static final class RefusedRecord extends Exception {
        private static final long serialVersionUID = 1L;

        private RefusedRecord(final MalformedRecordException cause) {
            super(cause);
        }
    }

    /**
     * Whether the content itself is broken, and not only a value at odds with the schema: readers
     * report both by one exception, and one that went on in the middle of a broken content would
     * invent records. What parsers throw is checked, but for iterators that cannot.
     */
    private static boolean isOfInput(final MalformedRecordException e) {
        for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
            final boolean isOfValue = cause instanceof RuntimeException || cause instanceof MalformedRecordException;
            if (!isOfValue || cause instanceof UncheckedIOException || cause instanceof IllegalStateException) {
                return true;
            }
        }
        return false;
    }

    /** Readers keep the reason in the cause, and say in the message that there was one. */
    static String reason(final Throwable e) {
        final StringBuilder reason = new StringBuilder();
        String last = "";
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            final String message = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
            if (!last.contains(message)) {
                reason.append(reason.length() == 0 ? "" : ": ").append(message);
                last = message;
            }
        }
        return reason.toString();
    }
}
