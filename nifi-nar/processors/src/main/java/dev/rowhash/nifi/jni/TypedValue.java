package dev.rowhash.nifi.jni;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.serialization.record.Record;

/**
 * A value as the native library takes it: exact, and not yet as text, since Java's own texts of
 * numbers and times depend on the JDK and its settings. The text is the library's.
 */
final class TypedValue {

    private static final byte TEXT = 0;
    private static final byte INTEGER = 1;
    private static final byte DECIMAL = 2;
    private static final byte FLOAT = 3;
    private static final byte DOUBLE = 4;
    private static final byte BOOLEAN = 5;
    private static final byte DATE = 6;
    private static final byte TIME = 7;
    private static final byte TIMESTAMP = 8;
    private static final byte NESTED = 9;
    private static final byte OTHER = 10;

    private static final int MILLIS_PER_SECOND = 1000;

    private static final TypedValue NULL = new TypedValue(TEXT, null);

    private final byte kind;
    private final String packed;

    private TypedValue(final byte kind, final String packed) {
        this.kind = kind;
        this.packed = packed;
    }

    static TypedValue of(final Object value) {
        if (value == null) {
            return NULL;
        }
        if (value instanceof CharSequence || value instanceof Character || value instanceof UUID) {
            return new TypedValue(TEXT, value.toString());
        }
        if (value instanceof Number) {
            return number((Number) value);
        }
        if (value instanceof Boolean) {
            return new TypedValue(BOOLEAN, whole((Boolean) value ? 1 : 0));
        }
        if (value instanceof Enum) {
            return new TypedValue(TEXT, ((Enum<?>) value).name());
        }
        if (value instanceof Record || value instanceof Map || value instanceof Iterable || value.getClass().isArray()) {
            return new TypedValue(NESTED, null);
        }
        return time(value);
    }

    private static TypedValue number(final Number value) {
        if (value instanceof Integer || value instanceof Long || value instanceof Short || value instanceof Byte) {
            return new TypedValue(INTEGER, whole(value.longValue()));
        }
        if (value instanceof Double) {
            return new TypedValue(DOUBLE, whole(Double.doubleToRawLongBits(value.doubleValue())));
        }
        if (value instanceof Float) {
            return new TypedValue(FLOAT, half(Float.floatToRawIntBits(value.floatValue())));
        }
        return value instanceof BigDecimal || value instanceof BigInteger
                ? new TypedValue(DECIMAL, value.toString()) : other(value);
    }

    private static TypedValue time(final Object value) {
        if (value instanceof Timestamp) {
            return instant(((Timestamp) value).toInstant());
        }
        if (value instanceof Date) {
            return new TypedValue(DATE, whole(((Date) value).toLocalDate().toEpochDay()));
        }
        if (value instanceof Time) {
            final Time time = (Time) value;
            final long millis = Math.floorMod(time.getTime(), (long) MILLIS_PER_SECOND); // toLocalTime() drops them
            return time(time.toLocalTime().plusNanos(TimeUnit.MILLISECONDS.toNanos(millis)));
        }
        if (value instanceof java.util.Date) {
            return instant(((java.util.Date) value).toInstant());
        }
        if (value instanceof LocalDate) {
            return new TypedValue(DATE, whole(((LocalDate) value).toEpochDay()));
        }
        if (value instanceof LocalTime) {
            return time((LocalTime) value);
        }
        if (value instanceof LocalDateTime) {
            // As NiFi makes a timestamp of one.
            return instant(((LocalDateTime) value).atZone(ZoneId.systemDefault()).toInstant());
        }
        if (value instanceof Instant) {
            return instant((Instant) value);
        }
        if (value instanceof OffsetDateTime) {
            return instant(((OffsetDateTime) value).toInstant());
        }
        return value instanceof ZonedDateTime ? instant(((ZonedDateTime) value).toInstant()) : other(value);
    }

    private static TypedValue time(final LocalTime value) {
        return new TypedValue(TIME, whole(value.toNanoOfDay()));
    }

    private static TypedValue instant(final Instant value) {
        return new TypedValue(TIMESTAMP, whole(value.getEpochSecond()) + half(value.getNano()));
    }

    private static TypedValue other(final Object value) {
        return new TypedValue(OTHER, value.getClass().getName());
    }

    /** Sixty-four bits as four characters. */
    private static String whole(final long bits) {
        return new String(new char[] {(char) (bits >>> 48), (char) (bits >>> 32), (char) (bits >>> 16), (char) bits});
    }

    private static String half(final int bits) {
        return new String(new char[] {(char) (bits >>> 16), (char) bits});
    }

    byte kind() {
        return kind;
    }

    /** Null for a value without a text. */
    String packed() {
        return packed;
    }
}
