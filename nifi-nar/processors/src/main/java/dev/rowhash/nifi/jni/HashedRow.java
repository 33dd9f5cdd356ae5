package dev.rowhash.nifi.jni;

import java.util.Optional;

/** A row's hash and what there is to know about it. */
public final class HashedRow {

    private final String hash;
    private final boolean withoutValues;
    private final String ambiguousColumn;

    HashedRow(final String hash, final boolean withoutValues, final String ambiguousColumn) {
        this.hash = hash;
        this.withoutValues = withoutValues;
        this.ambiguousColumn = ambiguousColumn;
    }

    /** 32 lower-case hexadecimal digits. */
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
}
