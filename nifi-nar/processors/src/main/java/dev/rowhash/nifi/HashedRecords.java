package dev.rowhash.nifi;

import dev.rowhash.nifi.ContentRows.RefusedContent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.logging.ComponentLog;
import org.apache.nifi.schema.access.SchemaNotFoundException;
import org.apache.nifi.serialization.RecordSetWriter;
import org.apache.nifi.serialization.RecordSetWriterFactory;
import org.apache.nifi.serialization.SimpleRecordSchema;
import org.apache.nifi.serialization.WriteResult;
import org.apache.nifi.serialization.record.MapRecord;
import org.apache.nifi.serialization.record.Record;
import org.apache.nifi.serialization.record.RecordField;
import org.apache.nifi.serialization.record.RecordFieldType;
import org.apache.nifi.serialization.record.RecordSchema;

/** Writes records with their hash, in the order they come, by a writer that is opened for the first one. */
final class HashedRecords implements AutoCloseable {

    private final RecordSetWriterFactory writers;
    private final FlowFile flowFile;
    private final RepositoryOutput out;
    private final String hashColumn;
    private final ComponentLog logger;
    private final Map<String, String> attributes = new HashMap<>();

    private RecordSetWriter writer;
    private RecordSchema lastSchema;
    private RecordSchema lastSchemaWithHash;
    private long count;

    HashedRecords(final RecordSetWriterFactory writers, final FlowFile flowFile, final RepositoryOutput out,
                  final String hashColumn, final ComponentLog logger) {
        this.writers = writers;
        this.flowFile = flowFile;
        this.out = out;
        this.hashColumn = hashColumn;
        this.logger = logger;
    }

    void write(final Record record, final String hash) {
        try {
            final RecordSchema schema = withHash(record.getSchema());
            open(schema);
            final Map<String, Object> values = new LinkedHashMap<>(record.toMap());
            values.put(hashColumn, hash);
            writer.write(new MapRecord(schema, values));
            count++;
        } catch (final IOException | SchemaNotFoundException | RuntimeException e) {
            throw unwritable(e);
        }
    }

    /** @param schema of the records, when there were none */
    void finish(final RecordSchema schema) {
        try {
            open(withHash(schema));
            final WriteResult result = writer.finishRecordSet();
            writer.close();
            attributes.putAll(result.getAttributes());
            attributes.put(ContentRows.MIME_TYPE, writer.getMimeType());
        } catch (final IOException | SchemaNotFoundException | RuntimeException e) {
            throw unwritable(e);
        }
    }

    long count() {
        return count;
    }

    /** What the writer says of the content; none before the end. */
    Map<String, String> attributes() {
        return attributes;
    }

    /** Lets go of a writer whose content nobody will see. */
    @Override
    public void close() {
        try {
            if (writer != null) {
                writer.close();
            }
        } catch (final IOException | RuntimeException e) {
            logger.debug("A Record Writer cannot be closed: {}", e.toString());
        }
    }

    private void open(final RecordSchema schema) throws IOException, SchemaNotFoundException {
        if (writer == null) {
            final RecordSchema written = writers.getSchema(flowFile.getAttributes(), schema);
            if (!written.getField(hashColumn).isPresent()) {
                throw new RefusedContent("The schema of the Record Writer has no field named " + hashColumn + ", so that the"
                        + " hashes would be lost. Add it to that schema as a string, or let the writer inherit the"
                        + " schema of the records. The content is as it came.", null);
            }
            writer = writers.createWriter(logger, written, out, flowFile);
            writer.beginRecordSet();
        }
    }

    /** The schema with the hash as a string: in place of a field of that name, or as the last one. */
    private RecordSchema withHash(final RecordSchema schema) {
        if (schema != lastSchema) {
            final RecordField hash = new RecordField(hashColumn, RecordFieldType.STRING.getDataType());
            final List<RecordField> fields = new ArrayList<>(schema.getFields());
            fields.replaceAll(field -> field.getFieldName().equals(hashColumn) ? hash : field);
            if (!fields.contains(hash)) {
                fields.add(hash);
            }
            final SimpleRecordSchema extended = new SimpleRecordSchema(fields);
            schema.getSchemaName().ifPresent(extended::setSchemaName);
            schema.getSchemaNamespace().ifPresent(extended::setSchemaNamespace);
            lastSchema = schema;
            lastSchemaWithHash = extended;
        }
        return lastSchemaWithHash;
    }

    private RefusedContent unwritable(final Throwable e) {
        if (e instanceof RefusedContent) {
            return (RefusedContent) e;
        }
        out.rethrow();
        return new RefusedContent("The Record Writer cannot write the records: " + RecordRows.reason(e) + ". The content is as"
                + " it came and none of it was passed on: correct the Record Writer and its schema, and send it here again.", e);
    }
}
