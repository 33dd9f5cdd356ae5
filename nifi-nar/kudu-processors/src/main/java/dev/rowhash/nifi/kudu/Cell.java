package dev.rowhash.nifi.kudu;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Date;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.time.temporal.Temporal;
import org.apache.kudu.ColumnSchema;
import org.apache.kudu.Type;
import org.apache.kudu.client.PartialRow;
import org.apache.kudu.util.DateUtil;

/** Writes values into one column: exactly, or not at all. */
final class Cell {

    private static final int FIXED_BYTES = 16;
    private static final BigDecimal TWO = BigDecimal.valueOf(2);
    /** More digits than these no two numbers need to differ. */
    private static final int FLOAT_DIGITS = 9;
    private static final int DOUBLE_DIGITS = 17;

    private final ColumnSchema column;
    private final int index;
    private final TimeRules times;

    Cell(final ColumnSchema column, final int index, final TimeRules times) {
        this.column = column;
        this.index = index;
        this.times = times;
    }

    ColumnSchema column() {
        return column;
    }

    void setNull(final PartialRow row) throws RowRefused {
        if (column.isKey()) {
            throw new RowRefused(column.getName() + " has no value, but is a column of the primary key: correct the record, or"
                    + " what should have set it");
        }
        if (!column.isNullable()) {
            throw new RowRefused(column.getName() + " has no value, but its column is NOT NULL: give it one, or set Ignore NULL"
                    + " to leave what is stored there as it is");
        }
        row.setNull(index);
    }

    /** Gives about how many bytes the cell takes. */
    int set(final PartialRow row, final Object value) throws RowRefused {
        try {
            return write(row, value);
        } catch (final RowRefused e) {
            throw new RowRefused(column.getName() + " is " + Texts.shown(value) + ": " + e.getMessage());
        }
    }

    /** What a reader of JSON has to find, so that the cell becomes the same one. */
    Object forJson(final Object value) {
        if (value instanceof Float && column.getType() == Type.DOUBLE) {
            return ((Float) value).doubleValue();
        }
        if (!(value instanceof java.util.Date || value instanceof Temporal)) {
            return value;
        }
        try {
            switch (column.getType()) {
                case STRING:
                case VARCHAR:
                    return Texts.of(value);
                case UNIXTIME_MICROS:
                    return Instant.EPOCH.plus(times.micros(value), ChronoUnit.MICROS);
                case DATE:
                    return times.date(value);
                default:
                    return value;
            }
        } catch (final RowRefused e) {
            return value; // it is for this value that the row was refused
        }
    }

    private int write(final PartialRow row, final Object value) throws RowRefused {
        switch (column.getType()) {
            case BOOL:
                row.addBoolean(index, bool(value));
                return FIXED_BYTES;
            case INT8:
                row.addByte(index, (byte) integer(value, Byte.MIN_VALUE, Byte.MAX_VALUE));
                return FIXED_BYTES;
            case INT16:
                row.addShort(index, (short) integer(value, Short.MIN_VALUE, Short.MAX_VALUE));
                return FIXED_BYTES;
            case INT32:
                row.addInt(index, (int) integer(value, Integer.MIN_VALUE, Integer.MAX_VALUE));
                return FIXED_BYTES;
            case INT64:
                row.addLong(index, integer(value, Long.MIN_VALUE, Long.MAX_VALUE));
                return FIXED_BYTES;
            case FLOAT:
                row.addFloat(index, single(value));
                return FIXED_BYTES;
            case DOUBLE:
                row.addDouble(index, dual(value));
                return FIXED_BYTES;
            case DECIMAL:
                row.addDecimal(index, decimal(value));
                return FIXED_BYTES;
            case UNIXTIME_MICROS:
                row.addLong(index, times.micros(value));
                return FIXED_BYTES;
            case DATE:
                row.addDate(index, date(value));
                return FIXED_BYTES;
            case STRING:
                final byte[] text = Texts.of(value).getBytes(StandardCharsets.UTF_8);
                row.addStringUtf8(index, text);
                return FIXED_BYTES + text.length;
            case VARCHAR:
                final String varchar = varchar(value);
                row.addVarchar(index, varchar);
                return FIXED_BYTES + 3 * varchar.length();
            case BINARY:
                final byte[] bytes = bytes(value);
                row.addBinary(index, bytes);
                return FIXED_BYTES + bytes.length;
            default:
                throw new RowRefused("columns of the type " + column.getType().name() + " cannot be written here");
        }
    }

    private static boolean bool(final Object value) throws RowRefused {
        if (value instanceof Boolean) {
            return (Boolean) value;
        }
        if (value instanceof String) {
            if (((String) value).equalsIgnoreCase("true")) {
                return true;
            }
            if (((String) value).equalsIgnoreCase("false")) {
                return false;
            }
        }
        throw new RowRefused("a BOOL column takes true or false");
    }

    private long integer(final Object value, final long least, final long most) throws RowRefused {
        final BigInteger number;
        try {
            number = number(value).toBigIntegerExact();
        } catch (final ArithmeticException e) {
            throw new RowRefused("it is no whole number, and the column is " + column.getType().name());
        }
        if (number.compareTo(BigInteger.valueOf(least)) < 0 || number.compareTo(BigInteger.valueOf(most)) > 0) {
            throw new RowRefused("the column is " + column.getType().name() + ", from " + least + " to " + most);
        }
        return number.longValue();
    }

    /** Longer texts of digits and exponents would only be a way to use up memory. */
    private static final int MOST_EXPONENT = 1000;

    private static BigDecimal number(final Object value) throws RowRefused {
        final BigDecimal number;
        if (value instanceof Number) {
            number = Texts.decimal((Number) value);
        } else if (value instanceof String) {
            try {
                number = new BigDecimal((String) value);
            } catch (final NumberFormatException e) {
                throw new RowRefused("it is no number");
            }
        } else {
            throw new RowRefused("it is no number");
        }
        if (Math.abs((long) number.scale()) > MOST_EXPONENT) {
            throw new RowRefused("it is out of range");
        }
        return number;
    }

    private static float single(final Object value) throws RowRefused {
        if (value instanceof Float || value instanceof Double && ((Double) value).floatValue() == (Double) value) {
            return ((Number) value).floatValue();
        }
        if (isNoFinite(value)) {
            return Float.parseFloat(value.toString());
        }
        final BigDecimal number = number(value);
        final float stored = number.floatValue();
        mustHold(number, stored, FLOAT_DIGITS, Type.FLOAT);
        return stored;
    }

    private static double dual(final Object value) throws RowRefused {
        if (value instanceof Double || value instanceof Float) {
            return ((Number) value).doubleValue();
        }
        if (isNoFinite(value)) {
            return Double.parseDouble(value.toString());
        }
        final BigDecimal number = number(value);
        final double stored = number.doubleValue();
        mustHold(number, stored, DOUBLE_DIGITS, Type.DOUBLE);
        return stored;
    }

    /** What binary numbers have and decimal ones have not. */
    private static boolean isNoFinite(final Object value) {
        return value instanceof Double ? !Double.isFinite((Double) value)
                : value.equals("NaN") || value.equals("Infinity") || value.equals("-Infinity");
    }

    /** Binary as it is, what is stored must give the same decimal number when it is read: 0.1 does, 2^53 + 1 does not. */
    private static void mustHold(final BigDecimal number, final double stored, final int digits, final Type type)
            throws RowRefused {
        if (Double.isInfinite(stored)) {
            throw new RowRefused("it is out of range for a " + type.name() + " column");
        }
        final BigDecimal exact = new BigDecimal(stored);
        final BigDecimal plain = number.stripTrailingZeros();
        // As near as a number of so many digits can be; two may be.
        final boolean isNearest = plain.precision() <= digits
                && exact.subtract(plain).abs().multiply(TWO).compareTo(plain.ulp()) <= 0;
        if (isNearest || exact.compareTo(number) == 0) {
            return;
        }
        final Number binary = type == Type.FLOAT ? (Number) (float) stored : (Number) stored;
        final BigDecimal shown = Texts.shortest(binary);
        if (shown.compareTo(number) != 0 && new BigDecimal(binary.toString()).compareTo(number) != 0) {
            throw new RowRefused("a " + type.name() + " column would hold " + shown
                    + ": round it in the flow, so that it is not rounded without a word");
        }
    }

    private BigDecimal decimal(final Object value) throws RowRefused {
        final int precision = column.getTypeAttributes().getPrecision();
        final int scale = column.getTypeAttributes().getScale();
        final BigDecimal number;
        try {
            number = number(value).setScale(scale);
        } catch (final ArithmeticException e) {
            throw new RowRefused("the column is DECIMAL(" + precision + ", " + scale + "), and it has more than " + scale
                    + " digits after the point: round it in the flow, so that it is not rounded without a word");
        }
        if (number.precision() > precision) {
            throw new RowRefused("the column is DECIMAL(" + precision + ", " + scale + "), and it has more than "
                    + (precision - scale) + " digits before the point");
        }
        return number;
    }

    private Date date(final Object value) throws RowRefused {
        final LocalDate date = times.date(value);
        if (date.toEpochDay() < DateUtil.MIN_DATE_VALUE || date.toEpochDay() > DateUtil.MAX_DATE_VALUE) {
            throw new RowRefused("a DATE column takes 0001-01-01 to 9999-12-31");
        }
        final Date sqlDate = Date.valueOf(date);
        if (!sqlDate.toLocalDate().equals(date)) {
            throw new RowRefused("Kudu's client cannot write this day, which the calendar of 1582 left out");
        }
        return sqlDate;
    }

    /** The client counts characters as Java does, and cuts what is longer. */
    private String varchar(final Object value) throws RowRefused {
        final String text = Texts.of(value);
        final int length = column.getTypeAttributes().getLength();
        if (text.length() > length) {
            throw new RowRefused("the column is VARCHAR(" + length + "), and it has " + text.length() + " characters: shorten it"
                    + " in the flow, so that it is not cut without a word");
        }
        return text;
    }

    private static byte[] bytes(final Object value) throws RowRefused {
        if (value instanceof byte[]) {
            return (byte[]) value;
        }
        if (value instanceof ByteBuffer) {
            final ByteBuffer buffer = ((ByteBuffer) value).duplicate();
            final byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            return bytes;
        }
        if (value instanceof String) {
            return ((String) value).getBytes(StandardCharsets.UTF_8);
        }
        if (value instanceof Object[]) {
            return bytes((Object[]) value);
        }
        throw new RowRefused("a BINARY column takes bytes or a text");
    }

    /** An array of bytes, as records have it; as JSON numbers have it too. */
    private static byte[] bytes(final Object[] values) throws RowRefused {
        final byte[] bytes = new byte[values.length];
        for (int i = 0; i < bytes.length; i++) {
            final Object value = values[i];
            final boolean whole = value instanceof Byte || value instanceof Short || value instanceof Integer
                    || value instanceof Long;
            if (!whole || ((Number) value).longValue() != ((Number) value).byteValue()) {
                throw new RowRefused("element " + i + " of the array is no byte");
            }
            bytes[i] = ((Number) value).byteValue();
        }
        return bytes;
    }
}
