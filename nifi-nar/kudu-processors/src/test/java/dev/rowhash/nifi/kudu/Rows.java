package dev.rowhash.nifi.kudu;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.nifi.controller.AbstractControllerService;
import org.apache.nifi.logging.ComponentLog;
import org.apache.nifi.serialization.MalformedRecordException;
import org.apache.nifi.serialization.RecordReader;
import org.apache.nifi.serialization.RecordReaderFactory;
import org.apache.nifi.serialization.SimpleRecordSchema;
import org.apache.nifi.serialization.record.MapRecord;
import org.apache.nifi.serialization.record.Record;
import org.apache.nifi.serialization.record.RecordField;
import org.apache.nifi.serialization.record.RecordFieldType;
import org.apache.nifi.serialization.record.RecordSchema;

/** A reader of rows that a test holds as maps: the content of a FlowFile is the name of its rows. */
final class Rows extends AbstractControllerService implements RecordReaderFactory {

    /** In the place of a row: what comes here cannot be read. */
    static final Map<String, Object> UNREADABLE = Map.of("unreadable", true);

    /** A row at which the reader fails as no method declares: Avro's does so for a broken block. */
    static final Map<String, Object> BREAKDOWN = Map.of("breakdown", "");

    private final Map<String, List<Map<String, Object>>> rows = new ConcurrentHashMap<>();

    private volatile RecordSchema fixed;
    private volatile int moment = -1;
    private volatile Runnable action;

    /** From now on the schema names these fields, whatever the rows have. */
    void setSchema(final RecordField... fields) {
        fixed = new SimpleRecordSchema(List.of(fields));
    }

    /** Does something when so many rows have been read. */
    void at(final int rowsRead, final Runnable what) {
        action = what;
        moment = rowsRead;
    }

    /** Gives the content for a FlowFile with these rows. */
    String content(final List<Map<String, Object>> maps) {
        final String name = "rows-" + rows.size();
        rows.put(name, maps);
        return name;
    }

    @Override
    public RecordReader createRecordReader(final Map<String, String> variables, final InputStream in, final long length,
            final ComponentLog logger) throws java.io.IOException {
        final List<Map<String, Object>> maps = rows.get(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        final RecordSchema schema = fixed == null ? schema(maps) : fixed;
        final Iterator<Map<String, Object>> iterator = maps.iterator();
        return new RecordReader() {
            private int read;

            @Override
            public Record nextRecord(final boolean coerceTypes, final boolean dropUnknownFields)
                    throws MalformedRecordException {
                if (read++ == moment) {
                    moment = -1;
                    action.run();
                }
                if (!iterator.hasNext()) {
                    return null;
                }
                final Map<String, Object> map = iterator.next();
                if (map == UNREADABLE) {
                    throw new MalformedRecordException("the content is broken");
                }
                if (map == BREAKDOWN) {
                    throw new IllegalStateException("the content is broken");
                }
                return new MapRecord(schema, new LinkedHashMap<>(map), false, dropUnknownFields);
            }

            @Override
            public RecordSchema getSchema() {
                return schema;
            }

            @Override
            public void close() {
                // nothing is open
            }
        };
    }

    /** The fields of all rows together, as readers infer them. */
    private static RecordSchema schema(final List<Map<String, Object>> maps) {
        final Map<String, RecordField> fields = new LinkedHashMap<>();
        maps.stream().filter(map -> map != UNREADABLE && map != BREAKDOWN).flatMap(map -> map.keySet().stream())
                .forEach(name -> fields.put(name, new RecordField(name, RecordFieldType.STRING.getDataType())));
        return new SimpleRecordSchema(new ArrayList<>(fields.values()));
    }

    /** A row of names and values in turn; a null is a null. */
    static Map<String, Object> row(final Object... namesAndValues) {
        final Map<String, Object> row = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            row.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return row;
    }

    static Record record(final Map<String, Object> row) {
        return new MapRecord(schema(List.of(row)), row);
    }
}
