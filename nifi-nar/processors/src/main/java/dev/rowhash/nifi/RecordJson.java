package dev.rowhash.nifi;

import java.sql.Time;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.nifi.serialization.record.Record;

/**
 * A record as JSON, for people and for loading it again. Times are the texts that the hash has of
 * them, so that a text of this has the hash of the record.
 */
final class RecordJson {

    private static final DateTimeFormatter TIME = new DateTimeFormatterBuilder().appendPattern("HH:mm:ss")
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true).toFormatter();
    private static final DateTimeFormatter TIMESTAMP = new DateTimeFormatterBuilder().appendPattern("yyyy-MM-dd ")
            .append(TIME).toFormatter().withZone(ZoneOffset.UTC);

    private final StringBuilder json = new StringBuilder();

    private RecordJson() {
    }

    static String of(final Record record) {
        final RecordJson text = new RecordJson();
        text.object(record);
        return text.json.toString();
    }

    /** @param members names and what they stand for, in turn */
    static String object(final Object... members) {
        final Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < members.length; i += 2) {
            object.put((String) members[i], members[i + 1]);
        }
        final RecordJson text = new RecordJson();
        text.object(object);
        return text.json.toString();
    }

    private void object(final Record record) {
        final Map<String, Object> values = new LinkedHashMap<>();
        record.getSchema().getFields().forEach(field -> values.put(field.getFieldName(), record.getValue(field)));
        record.getRawFieldNames().forEach(name -> values.putIfAbsent(name, record.getValue(name)));
        object(values);
    }

    private void object(final Map<?, ?> values) {
        String separator = "{";
        for (final Map.Entry<?, ?> entry : values.entrySet()) {
            json.append(separator);
            string(String.valueOf(entry.getKey()));
            json.append(':');
            value(entry.getValue());
            separator = ",";
        }
        json.append(values.isEmpty() ? "{}" : "}");
    }

    private void array(final Iterable<?> values) {
        json.append('[');
        String separator = "";
        for (final Object value : values) {
            json.append(separator);
            value(value);
            separator = ",";
        }
        json.append(']');
    }

    private void bytes(final byte[] bytes) {
        final List<Byte> values = new ArrayList<>(bytes.length);
        for (final byte one : bytes) {
            values.add(one);
        }
        array(values);
    }

    private void value(final Object value) {
        if (value == null || value instanceof Boolean) {
            json.append(value);
        } else if (value instanceof Record) {
            object((Record) value);
        } else if (value instanceof Map) {
            object((Map<?, ?>) value);
        } else if (value instanceof Iterable) {
            array((Iterable<?>) value);
        } else if (value instanceof Object[]) {
            array(Arrays.asList((Object[]) value));
        } else if (value instanceof byte[]) {
            bytes((byte[]) value);
        } else if (value instanceof Number) {
            json.append(value); // NaN too, which is no JSON: this row is refused whatever reads it
        } else {
            string(textOf(value));
        }
    }

    private static String textOf(final Object value) {
        try {
            return text(value);
        } catch (final DateTimeException e) {
            return value.toString(); // a year that no text can have
        }
    }

    private static String text(final Object value) {
        if (value instanceof java.sql.Date) {
            return ((java.sql.Date) value).toLocalDate().toString();
        }
        if (value instanceof Time) {
            return TIME.format(Instant.ofEpochMilli(((Time) value).getTime()).atZone(ZoneId.systemDefault()));
        }
        if (value instanceof java.sql.Timestamp) {
            return TIMESTAMP.format(((java.sql.Timestamp) value).toInstant());
        }
        if (value instanceof java.util.Date) {
            return TIMESTAMP.format(Instant.ofEpochMilli(((java.util.Date) value).getTime()));
        }
        if (value instanceof LocalTime) {
            return TIME.format((TemporalAccessor) value);
        }
        if (value instanceof LocalDateTime) {
            return TIMESTAMP.format(((LocalDateTime) value).atZone(ZoneId.systemDefault()).toInstant());
        }
        if (value instanceof Instant || value instanceof OffsetDateTime || value instanceof ZonedDateTime) {
            return TIMESTAMP.format(Instant.from((TemporalAccessor) value));
        }
        return value instanceof Enum ? ((Enum<?>) value).name() : value.toString();
    }

    private void string(final String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            final char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c) && !isHalfOfPair(text, i)) {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }

    private static boolean isHalfOfPair(final String text, final int at) {
        return Character.isHighSurrogate(text.charAt(at))
                ? at + 1 < text.length() && Character.isLowSurrogate(text.charAt(at + 1))
                : at > 0 && Character.isHighSurrogate(text.charAt(at - 1));
    }
}
