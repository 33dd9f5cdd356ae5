package dev.rowhash.nifi.kudu;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import org.apache.nifi.serialization.record.Record;

/** Rows as JSON, written so that a JsonTreeReader and this processor read the same cells from them. */
final class RowJson {

    private static final JsonFactory JSON = new JsonFactory();

    private final TimeRules times;

    RowJson(final TimeRules times) {
        this.times = times;
    }

    /** A line of rejects, with its end. */
    String reject(final long rowIndex, final String message, final SourceRow row) {
        return json(json -> {
            json.writeStartObject();
            json.writeNumberField("row_index", rowIndex);
            json.writeStringField("error_message", message);
            json.writeStringField("line_content", row(row));
            json.writeEndObject();
        }) + "\n";
    }

    String row(final SourceRow row) {
        return json(json -> write(json, row.record(), row));
    }

    private interface Content {
        void writeTo(JsonGenerator json) throws IOException;
    }

    private static String json(final Content content) {
        final StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            content.writeTo(json);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private void write(final JsonGenerator json, final Object value, final SourceRow row) throws IOException {
        if (value == null) {
            json.writeNull();
        } else if (value instanceof Boolean) {
            json.writeBoolean((Boolean) value);
        } else if (value instanceof Number) {
            write(json, (Number) value);
        } else if (value instanceof Record) {
            json.writeStartObject();
            final Record record = (Record) value;
            for (final String name : record.getSchema().getFieldNames()) {
                json.writeFieldName(name);
                write(json, row.forJson(record, name), row);
            }
            for (final String name : record.getRawFieldNames()) {
                if (!record.getSchema().getField(name).isPresent()) {
                    json.writeFieldName(name);
                    write(json, record.getValue(name), row);
                }
            }
            json.writeEndObject();
        } else if (value instanceof Map) {
            json.writeStartObject();
            for (final Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                json.writeFieldName(String.valueOf(entry.getKey()));
                write(json, entry.getValue(), row);
            }
            json.writeEndObject();
        } else if (value instanceof Object[]) {
            json.writeStartArray();
            for (final Object element : (Object[]) value) {
                write(json, element, row);
            }
            json.writeEndArray();
        } else if (value instanceof Iterable) {
            json.writeStartArray();
            for (final Object element : (Iterable<?>) value) {
                write(json, element, row);
            }
            json.writeEndArray();
        } else if (value instanceof byte[]) {
            json.writeStartArray();
            for (final byte element : (byte[]) value) {
                json.writeNumber(element);
            }
            json.writeEndArray();
        } else {
            json.writeString(times.text(value));
        }
    }

    private static void write(final JsonGenerator json, final Number value) throws IOException {
        if (value instanceof BigInteger) {
            json.writeNumber((BigInteger) value);
        } else if (value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte) {
            json.writeNumber(value.longValue());
        } else if (isReadBackExactly(value)) {
            json.writeNumber((value instanceof Float || value instanceof Double ? Texts.shortest(value) : value).toString());
        } else {
            json.writeString(value instanceof BigDecimal ? ((BigDecimal) value).toPlainString() : value.toString());
        }
    }

    /** Readers take a JSON number with a fraction for a double. */
    private static boolean isReadBackExactly(final Number value) {
        if (value instanceof BigDecimal) {
            final double read = value.doubleValue();
            return !Double.isInfinite(read) && BigDecimal.valueOf(read).compareTo((BigDecimal) value) == 0;
        }
        return !Double.isNaN(value.doubleValue()) && !Double.isInfinite(value.doubleValue());
    }
}
