package dev.rowhash.nifi.jni;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * The values of many rows, packed for one native call. One array of characters crosses the border
 * far faster than many strings do. For one thread.
 */
final class Cells {

    /** Some JVMs cannot make an array of exactly Integer.MAX_VALUE elements. */
    static final int MAX_CHARACTERS = Integer.MAX_VALUE - 8;
    private static final int FIRST_CHARACTERS = 8192;
    private static final int FIRST_ROWS = 16;
    private static final int KEPT_CHARACTERS = 1024 * 1024;

    private final String[] columns;
    private final int maxCharacters;

    private char[] values = new char[FIRST_CHARACTERS];
    private int[] lengths;
    private int characters;
    private int rows;

    Cells(final List<String> columns, final int maxCharacters) {
        this.columns = columns.toArray(new String[0]);
        this.maxCharacters = maxCharacters;
        this.lengths = new int[Math.multiplyExact(FIRST_ROWS, columns.size())];
    }

    /**
     * Adds a row.
     *
     * @param row gives the value of a column, null when it has none
     * @throws RowHashException if an array would be outgrown; the rows are left without this one
     */
    void add(final Function<String, String> row) {
        final int firstLength = rows * columns.length;
        if (lengths.length - firstLength < columns.length) {
            lengths = Arrays.copyOf(lengths, grown(lengths.length, (long) firstLength + columns.length));
        }
        int end = characters;
        for (int i = 0; i < columns.length; i++) {
            final String value = row.apply(columns[i]);
            final int length = value == null ? 0 : value.length();
            if (length > maxCharacters - end) {
                throw new RowHashException("Column '" + columns[i] + "' brings the values to more than "
                        + maxCharacters + " characters, more than one native call takes: make the value shorter");
            }
            if (length > 0) {
                if (length > values.length - end) {
                    values = Arrays.copyOf(values, grown(values.length, (long) end + length));
                }
                value.getChars(0, length, values, end);
            }
            lengths[firstLength + i] = length;
            end += length;
        }
        characters = end;
        rows++;
    }

    /** Removes the rows and keeps the memory. */
    void clear() {
        characters = 0;
        rows = 0;
    }

    /** Whether the memory is no more than common batches need. */
    boolean isSmall() {
        return values.length <= KEPT_CHARACTERS && lengths.length <= KEPT_CHARACTERS;
    }

    /** The characters of all values, row by row; only the first {@link #characters} count. */
    char[] values() {
        return values;
    }

    /** One length a value, 0 for a value that is null or empty; only the first rows x columns count. */
    int[] lengths() {
        return lengths;
    }

    int characters() {
        return characters;
    }

    int rows() {
        return rows;
    }

    /** Doubled, or what is needed when that is more, or the most an array can hold. */
    private static int grown(final int length, final long needed) {
        if (needed > MAX_CHARACTERS) {
            throw new RowHashException("The rows hold more than " + MAX_CHARACTERS
                    + " values or characters, more than one native call takes: make the batch smaller");
        }
        return (int) Math.min(MAX_CHARACTERS, Math.max(needed, 2L * length));
    }
}
