package dev.rowhash.nifi;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

/** A reader of one JSON object a line, on any version of NiFi: its own readers bring half of NiFi along. */
final class JsonLines extends AbstractControllerService implements RecordReaderFactory {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    @Override
    public RecordReader createRecordReader(final Map<String, String> variables, final InputStream in, final long length,
                                           final ComponentLog logger) {
        final BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        return new RecordReader() {
            @Override
            public Record nextRecord(final boolean coerceTypes, final boolean dropUnknownFields)
                    throws IOException, MalformedRecordException {
                final String line = lines.readLine();
                return line == null ? null : record(line);
            }

            @Override
            public RecordSchema getSchema() {
                return new SimpleRecordSchema(List.of());
            }

            @Override
            public void close() throws IOException {
                lines.close();
            }
        };
    }

    private static Record record(final String line) throws MalformedRecordException {
        try {
            final ObjectNode object = (ObjectNode) MAPPER.readTree(line);
            final Map<String, Object> values = new LinkedHashMap<>();
            object.fields().forEachRemaining(field -> values.put(field.getKey(), switch (field.getValue().getNodeType()) {
                case NULL -> null;
                case NUMBER -> field.getValue().numberValue();
                default -> field.getValue().asText();
            }));
            final List<RecordField> fields = values.keySet().stream()
                    .map(name -> new RecordField(name, RecordFieldType.STRING.getDataType())).toList();
            return new MapRecord(new SimpleRecordSchema(fields), values);
        } catch (final JsonProcessingException e) {
            throw new MalformedRecordException("Line is no JSON: " + line, e);
        }
    }
}
