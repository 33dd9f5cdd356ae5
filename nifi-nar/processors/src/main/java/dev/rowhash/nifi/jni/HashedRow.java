package dev.rowhash.nifi.jni;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A row's hash and what there is to know about it. */
public final class HashedRow {

    static final int LENGTH = 32;
    /** What {@link Bindings#hash} gives for a row: the digits of its hash and, big-endian, its finding. */
    static final int RESULT = LENGTH + Integer.BYTES;

    private final String hash;
    private final boolean withoutValues;
    private final String ambiguousColumn;
    private final String refusal;

    private HashedRow(final String hash, final boolean withoutValues, final String ambiguousColumn, final String refusal) {
        this.hash = hash;
        this.withoutValues = withoutValues;
        this.ambiguousColumn = ambiguousColumn;
        this.refusal = refusal;
    }

    /** The rows of a native call: {@link Bindings#hash}. */
    static List<HashedRow> list(final List<String> columns, final byte[] results) {
        final List<HashedRow> rows = new ArrayList<>(results.length / RESULT);
        final ByteBuffer numbers = ByteBuffer.wrap(results);
        for (int at = 0; at < results.length; at += RESULT) {
            rows.add(of(columns, results, at, numbers.getInt(at + LENGTH)));
        }
        return rows;
    }

    private static HashedRow of(final List<String> columns, final byte[] hashes, final int at, final int finding) {
        final String hash = new String(hashes, at, LENGTH, StandardCharsets.ISO_8859_1);
        return new HashedRow(hash, finding < 0, finding > 0 ? columns.get(finding - 1) : null, null);
    }

    /**
     * The rows of a native call: {@link Bindings#hashRecords}.
     *
     * @param hashes 32 hexadecimal digits a row
     * @param findings 0 clean, -1 no values, k the k-th column is ambiguous, -2 - k refused for the reason k
     */
    static List<HashedRow> list(final List<String> columns, final byte[] hashes, final int[] findings,
                                final String[] refusals) {
        final List<HashedRow> rows = new ArrayList<>(findings.length);
        for (int i = 0; i < findings.length; i++) {
            final int finding = findings[i];
            if (finding < -1) {
                rows.add(new HashedRow(null, false, null, refusals[-2 - finding]));
            } else {
                rows.add(of(columns, hashes, i * LENGTH, finding));
            }
        }
        return rows;
    }

    /** 32 lower-case hexadecimal digits; null for a row that is refused. */
    public String hash() {
        return hash;
    }

    /** Every column is null, absent or empty. */
    public boolean isWithoutValues() {
        return withoutValues;
    }

    /** The first column whose value lets another row have the same canonical text. */
    public Optional<String> ambiguousColumn() {
        return Optional.ofNullable(ambiguousColumn);
    }

    /** Why the row cannot have a hash: a value without canonical text, as NaN. */
    public Optional<String> refusal() {
        return Optional.ofNullable(refusal);
    }
}
