package dev.rowhash.nifi.kudu;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Date;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.apache.nifi.serialization.record.Record;

/**
 * The text of a typed value: the one that row_hash is computed from, so that SQL over a table of STRING columns comes
 * to the same hash.
 */
final class Texts {

    private static final int SHOWN = 64;
    private static final DateTimeFormatter TIME = new DateTimeFormatterBuilder().appendPattern("HH:mm:ss")
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true).toFormatter(Locale.ROOT);
    private static final DateTimeFormatter TIMESTAMP = new DateTimeFormatterBuilder().append(DateTimeFormatter.ISO_LOCAL_DATE)
            .appendLiteral(' ').append(TIME).toFormatter(Locale.ROOT);

    private Texts() {
    }

    /** @throws RowRefused for what is no single value, or no number */
    static String of(final Object value) throws RowRefused {
        if (value instanceof String) {
            return (String) value;
        }
        if (value instanceof Integer || value instanceof Long || value instanceof Short || value instanceof Byte
                || value instanceof BigInteger || value instanceof Boolean || value instanceof Character
                || value instanceof Enum || value instanceof UUID || value instanceof LocalDate) {
            return value.toString();
        }
        if (value instanceof Number) {
            final BigDecimal number = decimal((Number) value);
            return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
        }
        if (value instanceof java.sql.Date) {
            return ((java.sql.Date) value).toLocalDate().toString();
        }
        if (value instanceof Time) {
            return TIME.format(timeOf((Time) value));
        }
        if (value instanceof LocalTime) {
            return TIME.format((LocalTime) value);
        }
        final Instant instant = instant(value);
        if (instant != null) {
            return TIMESTAMP.format(instant.atOffset(ZoneOffset.UTC));
        }
        if (value instanceof LocalDateTime) {
            return TIMESTAMP.format((LocalDateTime) value);
        }
        throw new RowRefused("it is " + kind(value) + ", which has no text of its own");
    }

    /** The moment that a value names by itself, without any zone; null when it names none. */
    static Instant instant(final Object value) {
        if (value instanceof Timestamp) {
            return ((Timestamp) value).toInstant();
        }
        if (value instanceof java.sql.Date || value instanceof Time) {
            return null;
        }
        if (value instanceof Date) {
            return Instant.ofEpochMilli(((Date) value).getTime());
        }
        if (value instanceof OffsetDateTime) {
            return ((OffsetDateTime) value).toInstant();
        }
        if (value instanceof ZonedDateTime) {
            return ((ZonedDateTime) value).toInstant();
        }
        return value instanceof Instant ? (Instant) value : null;
    }

    /** With its milliseconds, which toLocalTime() drops. */
    static LocalTime timeOf(final Time value) {
        return value.toLocalTime().with(ChronoField.MILLI_OF_SECOND, Math.floorMod(value.getTime(), 1000L));
    }

    static BigDecimal decimal(final Number value) throws RowRefused {
        if (value instanceof BigDecimal) {
            return (BigDecimal) value;
        }
        if (value instanceof BigInteger) {
            return new BigDecimal((BigInteger) value);
        }
        if (value instanceof Double || value instanceof Float) {
            if (Double.isNaN(value.doubleValue()) || Double.isInfinite(value.doubleValue())) {
                throw new RowRefused("it is " + value + ", which is no number");
            }
            // The shortest text that gives the same float or double, as people and JSON write it.
            return new BigDecimal(value.toString());
        }
        return BigDecimal.valueOf(value.longValue());
    }

    /** For messages: short, and on one line. */
    static String shown(final Object value) {
        if (!(value instanceof String || value instanceof Number || value instanceof Boolean)) {
            try {
                return shown(of(value));
            } catch (final RowRefused e) {
                return kind(value);
            }
        }
        final String text = value.toString();
        final int end = text.length() <= SHOWN ? text.length()
                : Character.isHighSurrogate(text.charAt(SHOWN - 1)) ? SHOWN - 1 : SHOWN;
        final String start = text.substring(0, end).replaceAll("\\p{Cntrl}", " ");
        final String cut = end < text.length() ? start + "... (" + text.length() + " characters)" : start;
        return value instanceof String ? "'" + cut + "'" : cut;
    }

    private static String kind(final Object value) {
        if (value instanceof byte[]) {
            return "a byte array";
        }
        if (value instanceof Object[] || value instanceof Iterable) {
            return "an array";
        }
        if (value instanceof Map) {
            return "a map";
        }
        return value instanceof Record ? "a record" : "a " + value.getClass().getSimpleName();
    }
}
