package dev.rowhash.nifi.kudu;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Time;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.util.Locale;

/** How dates and times are read. The JVM's zone is no part of it. */
final class TimeRules {

    private static final int DATE_CHARACTERS = "yyyy-MM-dd".length();
    private static final long NANOS_A_MICRO = 1000;
    private static final BigDecimal MICROS_A_MILLI = BigDecimal.valueOf(1000);

    /** 2026-03-02T09:11:11.123456, with an offset too. */
    private static final DateTimeFormatter ISO = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE).appendLiteral('T').append(DateTimeFormatter.ISO_LOCAL_TIME)
            .optionalStart().appendOffsetId().optionalEnd()
            .toFormatter(Locale.ROOT).withResolverStyle(ResolverStyle.STRICT);

    private final ZoneId zone;
    private final boolean numbersAreMicros;
    private final DateTimeFormatter timestampFormat;
    private final DateTimeFormatter dateFormat;

    /**
     * @param zone of texts that name none
     * @param timestampFormat null for ISO 8601
     * @param dateFormat null for ISO 8601
     */
    TimeRules(final ZoneId zone, final boolean numbersAreMicros, final String timestampFormat, final String dateFormat) {
        this.zone = zone;
        this.numbersAreMicros = numbersAreMicros;
        this.timestampFormat = timestampFormat == null ? null : formatter(timestampFormat);
        this.dateFormat = dateFormat == null ? null : formatter(dateFormat);
    }

    /**
     * Strict, so that 30 February is no date.
     *
     * @throws IllegalArgumentException if it is no pattern
     */
    static DateTimeFormatter formatter(final String pattern) {
        return new DateTimeFormatterBuilder().appendPattern(pattern)
                .parseDefaulting(ChronoField.ERA, 1) // yyyy is a year of an era
                .toFormatter(Locale.ENGLISH).withResolverStyle(ResolverStyle.STRICT);
    }

    /** Microseconds since 1970-01-01 in UTC. */
    long micros(final Object value) throws RowRefused {
        if (value instanceof Number) {
            return micros((Number) value);
        }
        if (value instanceof String) {
            return micros((String) value);
        }
        if (value instanceof java.sql.Date) {
            return micros(((java.sql.Date) value).toLocalDate().atStartOfDay());
        }
        if (value instanceof LocalDate) {
            return micros(((LocalDate) value).atStartOfDay());
        }
        if (value instanceof LocalDateTime) {
            return micros((LocalDateTime) value);
        }
        final Instant instant = Texts.instant(value);
        if (instant == null) {
            throw new RowRefused("it is no moment in time");
        }
        return micros(instant);
    }

    private long micros(final Number value) throws RowRefused {
        final BigDecimal number = Texts.decimal(value);
        try {
            return (numbersAreMicros ? number : number.multiply(MICROS_A_MILLI)).longValueExact();
        } catch (final ArithmeticException e) {
            throw new RowRefused("it is no number of " + (numbersAreMicros ? "microseconds" : "milliseconds")
                    + " that comes to whole microseconds in 64 bits");
        }
    }

    private long micros(final String text) throws RowRefused {
        if (timestampFormat != null) {
            try {
                return micros(parse(timestampFormat, text));
            } catch (final DateTimeException e) {
                // A text that names its offset can mean one moment only, whatever the format.
                return microsWithOffset(text);
            }
        }
        try {
            return micros(parse(ISO, withT(text)));
        } catch (final DateTimeException e) {
            throw new RowRefused("it is no timestamp such as 2026-03-02 09:11:11.123 or 2026-03-02T09:11:11Z: set Timestamp"
                    + " Format if it is written in another way");
        }
    }

    private long microsWithOffset(final String text) throws RowRefused {
        try {
            return micros(OffsetDateTime.parse(withT(text), ISO).toInstant());
        } catch (final DateTimeException e) {
            throw new RowRefused("it does not fit Timestamp Format");
        }
    }

    private static String withT(final String text) {
        return text.length() > DATE_CHARACTERS && text.charAt(DATE_CHARACTERS) == ' '
                ? text.substring(0, DATE_CHARACTERS) + 'T' + text.substring(DATE_CHARACTERS + 1) : text;
    }

    private static TemporalAccessor parse(final DateTimeFormatter format, final String text) {
        return format.parseBest(text, ZonedDateTime::from, Instant::from, LocalDateTime::from, LocalDate::from);
    }

    private long micros(final TemporalAccessor time) throws RowRefused {
        if (time instanceof ZonedDateTime) {
            return micros(((ZonedDateTime) time).toInstant());
        }
        if (time instanceof LocalDate) {
            return micros(((LocalDate) time).atStartOfDay());
        }
        return time instanceof Instant ? micros((Instant) time) : micros((LocalDateTime) time);
    }

    private long micros(final LocalDateTime time) throws RowRefused {
        if (zone.getRules().getValidOffsets(time).isEmpty()) {
            throw new RowRefused("the clocks of " + zone + " skipped this time: correct it, or Time Zone");
        }
        return micros(time.atZone(zone).toInstant());
    }

    private static long micros(final Instant instant) throws RowRefused {
        if (instant.getNano() % NANOS_A_MICRO != 0) {
            throw new RowRefused("it has nanoseconds, and the column holds microseconds: cut it in the flow, so that it is"
                    + " not cut without a word");
        }
        try {
            return Math.addExact(Math.multiplyExact(instant.getEpochSecond(), 1_000_000L), instant.getNano() / NANOS_A_MICRO);
        } catch (final ArithmeticException e) {
            throw new RowRefused("it is too far from 1970 for microseconds in 64 bits");
        }
    }

    LocalDate date(final Object value) throws RowRefused {
        if (value instanceof java.sql.Date) {
            return ((java.sql.Date) value).toLocalDate();
        }
        if (value instanceof LocalDate) {
            return (LocalDate) value;
        }
        if (value instanceof String) {
            return date((String) value);
        }
        if (value instanceof LocalDateTime) {
            return wholeDay((LocalDateTime) value);
        }
        final Instant instant = Texts.instant(value);
        if (instant != null) {
            return wholeDay(LocalDateTime.ofInstant(instant, zone));
        }
        throw new RowRefused(value instanceof Integer || value instanceof Long || value instanceof BigInteger
                ? "it is a number, which could be days or milliseconds: write it as a date"
                : "it is no date");
    }

    private LocalDate date(final String text) throws RowRefused {
        if (dateFormat != null) {
            try {
                return LocalDate.parse(text, dateFormat);
            } catch (final DateTimeException e) {
                throw new RowRefused("it does not fit Date Format");
            }
        }
        try {
            return LocalDate.parse(text);
        } catch (final DateTimeException e) {
            throw new RowRefused("it is no date such as 2026-03-02: set Date Format if it is written in another way");
        }
    }

    private LocalDate wholeDay(final LocalDateTime time) throws RowRefused {
        if (!time.toLocalTime().equals(LocalTime.MIDNIGHT)) {
            throw new RowRefused("it has a time of day in " + zone + ", which the column cannot hold");
        }
        return time.toLocalDate();
    }

    /** The text of a date or a time that {@link #micros} and {@link #date} read back as the same one. */
    String text(final Object value) {
        if (value instanceof java.sql.Date) {
            return text(((java.sql.Date) value).toLocalDate());
        }
        if (value instanceof LocalDate) {
            return dateFormat == null ? value.toString() : dateFormat.format((LocalDate) value);
        }
        if (value instanceof Time) {
            return Texts.timeOf((Time) value).toString();
        }
        final Instant instant = Texts.instant(value);
        if (instant == null) {
            return value.toString();
        }
        final String formatted = timestampFormat == null ? instant.toString() : timestampFormat.format(instant.atZone(zone));
        try {
            return micros(formatted) == micros(instant) ? formatted : instant.toString();
        } catch (final RowRefused e) {
            return instant.toString();
        }
    }
}
