package dev.rowhash.nifi;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.nifi.controller.AbstractControllerService;
import org.apache.nifi.logging.ComponentLog;
import org.apache.nifi.reporting.InitializationException;
import org.apache.nifi.serialization.MalformedRecordException;
import org.apache.nifi.serialization.RecordReader;
import org.apache.nifi.serialization.RecordReaderFactory;
import org.apache.nifi.serialization.RecordSetWriter;
import org.apache.nifi.serialization.RecordSetWriterFactory;
import org.apache.nifi.serialization.SimpleRecordSchema;
import org.apache.nifi.serialization.WriteResult;
import org.apache.nifi.serialization.record.MapRecord;
import org.apache.nifi.serialization.record.Record;
import org.apache.nifi.serialization.record.RecordField;
import org.apache.nifi.serialization.record.RecordFieldType;
import org.apache.nifi.serialization.record.RecordSchema;
import org.apache.nifi.serialization.record.RecordSet;
import org.apache.nifi.util.TestRunner;

/** A Record Reader that gives what a test says, and a Record Writer that keeps what it gets. */
final class RecordServices {

    private RecordServices() {
    }

    static RecordSchema schema(final Object... namesAndTypes) {
        final List<RecordField> fields = new ArrayList<>();
        for (int i = 0; i < namesAndTypes.length; i += 2) {
            fields.add(new RecordField((String) namesAndTypes[i], ((RecordFieldType) namesAndTypes[i + 1]).getDataType()));
        }
        return new SimpleRecordSchema(fields);
    }

    static Record record(final RecordSchema schema, final Map<String, Object> values) {
        return new MapRecord(schema, values);
    }

    static void use(final TestRunner runner, final AbstractControllerService reader, final AbstractControllerService writer) {
        try {
            runner.addControllerService("reader", reader);
            runner.addControllerService("writer", writer);
        } catch (final InitializationException e) {
            throw new AssertionError(e);
        }
        runner.enableControllerService(reader);
        runner.enableControllerService(writer);
        runner.setProperty("Record Reader", "reader");
        runner.setProperty("Record Writer", "writer");
    }

    /** Gives records, and throws where an exception stands in their place. */
    static final class ListReader extends AbstractControllerService implements RecordReaderFactory {
        private final RecordSchema schema;
        private final Iterable<?> steps;
        int opened;
        int closed;

        ListReader(final RecordSchema schema, final Iterable<?> steps) {
            this.schema = schema;
            this.steps = steps;
        }

        @Override
        public RecordReader createRecordReader(final Map<String, String> variables, final InputStream in,
                                               final long length, final ComponentLog logger) throws IOException {
            opened++;
            in.readAllBytes();
            final Iterator<?> left = steps.iterator();
            return new RecordReader() {
                @Override
                public Record nextRecord(final boolean coerceTypes, final boolean dropUnknownFields)
                        throws IOException, MalformedRecordException {
                    final Object step = left.hasNext() ? left.next() : null;
                    if (step instanceof MalformedRecordException) {
                        throw (MalformedRecordException) step;
                    } else if (step instanceof IOException) {
                        throw (IOException) step;
                    } else if (step instanceof RuntimeException) {
                        throw (RuntimeException) step;
                    }
                    return (Record) step;
                }

                @Override
                public RecordSchema getSchema() {
                    return schema;
                }

                @Override
                public void close() throws IOException {
                    closed++;
                    throw new IOException("a close that fails after everything is read");
                }
            };
        }
    }

    /** Writes NDJSON, and keeps the records. */
    static final class KeepingWriter extends AbstractControllerService implements RecordSetWriterFactory {
        private static final ObjectMapper MAPPER = new ObjectMapper();

        final List<Record> records = new ArrayList<>();
        RecordSchema schema;
        RecordSchema own;
        long failAt = Long.MAX_VALUE;
        RuntimeException failure;
        int opened;
        int closed;

        @Override
        public RecordSchema getSchema(final Map<String, String> variables, final RecordSchema readSchema) {
            return own == null ? readSchema : own;
        }

        @Override
        public RecordSetWriter createWriter(final ComponentLog logger, final RecordSchema writeSchema, final OutputStream out,
                                            final Map<String, String> variables) {
            opened++;
            schema = writeSchema;
            return new RecordSetWriter() {
                private int written;

                @Override
                public WriteResult write(final Record record) throws IOException {
                    if (records.size() == failAt) {
                        if (failure != null) {
                            throw failure;
                        }
                        throw new IOException("a writer that fails");
                    }
                    records.add(record);
                    final Map<String, Object> row = new LinkedHashMap<>();
                    writeSchema.getFields().forEach(field -> row.put(field.getFieldName(),
                            String.valueOf(record.getValue(field))));
                    out.write((MAPPER.writeValueAsString(row) + "\n").getBytes(StandardCharsets.UTF_8));
                    written++;
                    return WriteResult.of(1, Map.of());
                }

                @Override
                public WriteResult write(final RecordSet recordSet) throws IOException {
                    throw new IOException("not used");
                }

                @Override
                public void beginRecordSet() {
                }

                @Override
                public WriteResult finishRecordSet() {
                    return WriteResult.of(written, Map.of("schema.name", "kept"));
                }

                @Override
                public String getMimeType() {
                    return "application/json";
                }

                @Override
                public void flush() {
                }

                @Override
                public void close() {
                    closed++;
                }
            };
        }
    }
}
