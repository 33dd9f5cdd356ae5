package dev.rowhash.nifi.jni;

/**
 * The functions of the native library, one to one. Everything else goes through {@link RowHasher}.
 *
 * <p>A handle is a number that the library looks up, so one that is closed or made up is an
 * IllegalStateException and never a wrong address.
 */
final class Bindings {

    private Bindings() {
    }

    /** The version the library was built as. */
    static native String version();

    /**
     * Parses and checks the rule.
     *
     * @param columns the list as the user wrote it: names separated by commas
     * @throws IllegalArgumentException if the rule contradicts itself; the message says what to change
     */
    static native long open(String columns, String hashColumn, String form);

    /** The columns in canonical order, which is the order of the values in the calls below. */
    static native String[] columns(long handle);

    /**
     * Hashes many rows in one call.
     *
     * @param values the characters of all values, row by row
     * @param lengths one length a value; 0 for a null, absent or empty value
     * @param hashes receives 32 hexadecimal digits a row
     * @param findings receives one number a row: 0 clean, -1 no values, k the k-th column is ambiguous
     * @return the number of rows hashed
     */
    static native int hash(long handle, char[] values, int[] lengths, int rows, byte[] hashes, int[] findings);

    /** The text of one row that is hashed. */
    static native String canonicalText(long handle, char[] values, int[] lengths);

    /** Closing twice does nothing. */
    static native void close(long handle);
}
