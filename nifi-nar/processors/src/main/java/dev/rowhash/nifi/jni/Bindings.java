package dev.rowhash.nifi.jni;

/**
 * The functions of the native library, one to one. Everything else goes through {@link RowHasher},
 * {@link ContentHasher}, {@link LoadLedger}, {@link ReplayDecisions} and {@link SpringBatchKeys}.
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
     * @param results receives 36 bytes a row: 32 hexadecimal digits, and a big-endian number of four bytes: 0 clean,
     *     -1 no values, k the k-th column is ambiguous
     * @return the number of rows hashed
     */
    static native int hash(long handle, char[] values, int[] lengths, int rows, byte[] results);

    /**
     * Hashes many rows of typed values in one call.
     *
     * @param values the characters of all values, row by row, as {@link TypedValue} packs them
     * @param lengths one length a value; 0 for a null, absent or empty value
     * @param kinds one kind a value
     * @param hashes receives 32 hexadecimal digits a row, of which those of a refused row mean nothing
     * @param findings receives one number a row, as {@link #hash} gives it, or -2 - k for a refused row
     * @return the reasons of the refused rows, of which k is an index
     */
    static native String[] hashRecords(long handle, char[] values, int[] lengths, byte[] kinds, int rows, byte[] hashes,
                                       int[] findings);

    /** The text of one row that is hashed. */
    static native String canonicalText(long handle, char[] values, int[] lengths);

    /** Closing twice does nothing. */
    static native void close(long handle);

    /**
     * Parses and checks the rules for content.
     *
     * @param rules columns, hash column, form, the message of ambiguous rows, the message of rows without values,
     *     delimiter, quoting, header, output, key columns and pattern; null for what is left out
     * @throws IllegalArgumentException if they contradict each other; the message says what to change
     */
    static native long openContent(String[] rules, int longestLine);

    /** The columns of the hash in canonical order. */
    static native String[] contentColumns(long rules);

    /** Starts a session for one content, which outlives its rules. */
    static native long startContent(long rules);

    /**
     * Works on the next bytes of a content.
     *
     * @param sizes receives how many bytes of rows and of rejects there are to fetch now, and how many rows have been
     *     written, refused and ambiguous in all
     * @throws RefusedContentException if the whole content is refused
     */
    static native void pushContent(long session, byte[] bytes, int length, long[] sizes);

    /** Works on what is left at the end of a content, as {@link #pushContent} does. */
    static native void finishContent(long session, long[] sizes);

    /**
     * Fetches rows.
     *
     * @param from how many bytes of them were fetched before
     * @return how many bytes were copied
     */
    static native int contentRows(long session, long from, byte[] into);

    /** Fetches rejects as {@link #contentRows} does rows. */
    static native int contentRejects(long session, long from, byte[] into);

    /** Ending twice does nothing. */
    static native void endContent(long session);

    /** Closing twice does nothing. */
    static native void closeContent(long rules);

    /** The names of an event's fields, in the order of the values of {@link #ledgerStep}. */
    static native String[] eventFields();

    /** The names of the columns of a record to replay, in the order of the values of {@link #replay}. */
    static native String[] replayFields();

    /** Whether a line is one of rejects, as the processors that refuse rows write them. */
    static native boolean isReject(String line);

    /**
     * How many batches are open in a ledger.
     *
     * @throws IllegalStateException if the state cannot be read; the message says what to do
     */
    static native int openBatches(String[] state);

    /**
     * Applies events, and time, to a ledger.
     *
     * @param state the ledger's texts, in order; none for an empty ledger
     * @param values the characters of all fields, event by event
     * @param lengths one length a field; 0 for an absent one
     * @param rules settle time, batch timeout and retention in milliseconds, and 1 to log loaded items, else 0
     * @return master records as lines of attempt, tab and JSON, detail records as NDJSON, refused events as lines of index, tab and reason,
     *     what to confirm once the records have left, lines of the batches that were dropped to make room, and then the texts
     *     of the new ledger
     * @throws IllegalStateException if the state cannot be read or the new one is too large; the message says what to do
     */
    static native String[] ledgerStep(String[] state, char[] values, int[] lengths, int events, long now, long[] rules);

    /**
     * Tells a ledger that records have left.
     *
     * @return the texts of the new ledger
     * @throws IllegalStateException as for {@link #ledgerStep}
     */
    static native String[] ledgerConfirm(String[] state, String confirmations, long now, long[] rules);

    /**
     * Decides where failed items go on.
     *
     * @return five texts a row: relationship, retry count, unit, item and the claim as JSON; or failure, the reason,
     *     two empty ones, and a claim where the vain retry is to be counted
     */
    static native String[] replay(char[] values, int[] lengths, int rows, int retries, long now);

    /**
     * The JOB_KEY of Spring Batch's metadata tables.
     *
     * @param version Spring Batch's major version
     * @param parameters the identifying text parameters in any order, names and values in turn
     * @throws IllegalArgumentException if there is no such key; the message says what to change
     */
    static native String jobKey(String version, String[] parameters);
}
