package dev.rowhash.nifi.jni;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * Collects the values of many rows, so that one native call hashes them all. One array of
 * characters crosses the border far faster than many strings do. For one thread.
 */
public final class RowBatch {

    /** Some JVMs cannot make an array of exactly Integer.MAX_VALUE elements. */
    private static final int MAX_CHARACTERS = Integer.MAX_VALUE - 8;
    private static final int FIRST_CHARACTERS = 8192;
    private static final int FIRST_ROWS = 16;
    private static final int HASH_LENGTH = 32;

    /** {@link Bindings#hash}. */
    interface NativeHash {
        int hash(long handle, char[] values, int[] lengths, int rows, byte[] hashes, int[] findings);
    }

    private final RowHasher hasher;
    private final List<String> columns;
    private final int maxCharacters;

    private char[] values = new char[FIRST_CHARACTERS];
    private int[] lengths;
    private int characters;
    private int rows;

    RowBatch(final RowHasher hasher) {
        this(hasher, MAX_CHARACTERS);
    }

    RowBatch(final RowHasher hasher, final int maxCharacters) {
        this.hasher = hasher;
        this.columns = hasher.columns();
        this.maxCharacters = maxCharacters;
        this.lengths = new int[Math.multiplyExact(FIRST_ROWS, columns.size())];
    }

    /**
     * Adds a row.
     *
     * @param row gives the value of a column, null when it has none
     * @throws RowHashException if the batch would outgrow an array; it is left without this row
     */
    public void add(final Function<String, String> row) {
        final int firstLength = rows * columns.size();
        if (lengths.length - firstLength < columns.size()) {
            lengths = Arrays.copyOf(lengths, grown(lengths.length, (long) firstLength + columns.size()));
        }
        int end = characters;
        for (int i = 0; i < columns.size(); i++) {
            final String value = row.apply(columns.get(i));
            final int length = value == null ? 0 : value.length();
            if (length > maxCharacters - end) {
                throw new RowHashException("Column '" + columns.get(i) + "' brings the values to more than "
                        + maxCharacters + " characters, more than can be hashed at once: make the value shorter");
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

    /** The characters of all values so far. */
    public int characters() {
        return characters;
    }

    public int size() {
        return rows;
    }

    /**
     * Hashes the rows in the order they were added.
     *
     * @throws RowHashException if the native library fails
     * @throws IllegalStateException if the hasher is closed
     */
    public List<HashedRow> hash() {
        return hash(Bindings::hash);
    }

    List<HashedRow> hash(final NativeHash library) {
        final byte[] hashes = new byte[Math.multiplyExact(rows, HASH_LENGTH)];
        final int[] findings = new int[rows];
        if (library.hash(hasher.handle(), values, lengths, rows, hashes, findings) != rows) {
            // An error whose exception could not even be made must not pass for a hash of zeros.
            throw new RowHashException("The native library returned without hashing the rows");
        }

        final List<HashedRow> hashed = new ArrayList<>(rows);
        for (int i = 0; i < rows; i++) {
            final String hash = new String(hashes, i * HASH_LENGTH, HASH_LENGTH, StandardCharsets.US_ASCII);
            final int finding = findings[i];
            hashed.add(new HashedRow(hash, finding < 0, finding > 0 ? columns.get(finding - 1) : null));
        }
        return hashed;
    }

    /** The canonical text of the only row. */
    String canonicalText() {
        return Bindings.canonicalText(hasher.handle(), values, lengths);
    }

    /** Doubled, or what is needed when that is more, or the most an array can hold. */
    private static int grown(final int length, final long needed) {
        if (needed > MAX_CHARACTERS) {
            throw new RowHashException("The rows hold more than " + MAX_CHARACTERS
                    + " values or characters, more than can be hashed at once: make the batch smaller");
        }
        return (int) Math.min(MAX_CHARACTERS, Math.max(needed, 2L * length));
    }
}
