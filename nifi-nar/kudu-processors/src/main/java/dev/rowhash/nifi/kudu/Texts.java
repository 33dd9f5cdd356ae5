package dev.rowhash.nifi.kudu;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
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
    /** What tells each double from all others. */
    private static final int MOST_DIGITS = 17;
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
            return shortest(value);
        }
        return BigDecimal.valueOf(value.longValue());
    }

    /**
     * The decimal number with the fewest digits that gives the same float or double, and of these the nearest one, as people
     * and JSON write it. Not that of toString(), which has a digit too many in some cases before Java 19, and takes the even
     * digit of two that are as near, where row_hash takes the higher one.
     */
    static BigDecimal shortest(final Number value) {
        final boolean isFloat = value instanceof Float;
        final BigDecimal exact = new BigDecimal(value.doubleValue());
        for (int digits = 1; digits < MOST_DIGITS; digits++) {
            final BigDecimal rounded = exact.round(new MathContext(digits));
            if (gives(rounded, value, isFloat)) {
                return rounded;
            }
            // Below a power of two numbers lie closer: the second nearest decimal may be the one that reads back.
            final BigDecimal other = rounded.compareTo(exact) < 0 ? rounded.add(rounded.ulp()) : rounded.subtract(rounded.ulp());
            if (gives(other, value, isFloat)) {
                return other;
            }
        }
        return exact.round(new MathContext(MOST_DIGITS));
    }

    private static boolean gives(final BigDecimal number, final Number value, final boolean isFloat) {
        return isFloat ? number.floatValue() == value.floatValue() : number.doubleValue() == value.doubleValue();
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
