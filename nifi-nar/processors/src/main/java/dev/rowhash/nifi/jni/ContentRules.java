package dev.rowhash.nifi.jni;

/**
 * What is to become of content. Everything is text as the user wrote it; {@link ContentHasher#open}
 * checks that it fits together.
 */
public final class ContentRules {

    private static final int DEFAULT_LONGEST_LINE = 1024 * 1024;

    private final String columns;
    private final String hashColumn;
    private final String form;
    private final String delimiter;
    private final String pattern;

    private String quoting = "RFC_4180";
    private String output = "NDJSON";
    private String header;
    private String keyColumns;
    private String ambiguousMessage;
    private String withoutValuesMessage;
    private int longestLine = DEFAULT_LONGEST_LINE;

    private ContentRules(final String columns, final String hashColumn, final String form, final String delimiter,
                         final String pattern) {
        this.columns = columns;
        this.hashColumn = hashColumn;
        this.form = form;
        this.delimiter = delimiter;
        this.pattern = pattern;
    }

    /** One JSON object a line. The arguments are those of {@link RowHasher#open}. */
    public static ContentRules ndjson(final String columns, final String hashColumn, final String form) {
        return new ContentRules(columns, hashColumn, form, null, null);
    }

    /**
     * Delimited text: quoting as in RFC 4180, the first record is the header, the output is NDJSON.
     *
     * @param delimiter one character of ASCII, or <code>\t</code>, or <code>&#92;u0001</code> and the like
     */
    public static ContentRules delimited(final String columns, final String hashColumn, final String form,
                                         final String delimiter) {
        return new ContentRules(columns, hashColumn, form, delimiter, null);
    }

    /**
     * Lines that a regular expression takes apart; the output is NDJSON.
     *
     * @param pattern in the syntax of Rust's regex crate; its named groups are the columns, and the first match in a
     *     line counts
     */
    public static ContentRules pattern(final String columns, final String hashColumn, final String form,
                                       final String pattern) {
        return new ContentRules(columns, hashColumn, form, null, pattern);
    }

    /** Every character of a line but the delimiter is data. */
    public ContentRules withoutQuoting() {
        quoting = "NONE";
        return this;
    }

    /** The names of a row's cells, separated by commas; the first record is then a row like any other. */
    public ContentRules header(final String names) {
        header = names;
        return this;
    }

    /** The output is the delimited text itself with the hash as one cell more. */
    public ContentRules delimitedOutput() {
        output = "DELIMITED";
        return this;
    }

    /**
     * Empty values of delimited text or of a pattern become null in NDJSON, not an empty text.
     *
     * @param keys the columns that stay an empty text, separated by commas; none when empty
     */
    public ContentRules writeNull(final String keys) {
        keyColumns = keys;
        return this;
    }

    /** Refuses rows that another row can share its hash with; <code>{column}</code> in the message is the column. */
    public ContentRules refuseAmbiguousRows(final String message) {
        ambiguousMessage = message;
        return this;
    }

    /** Refuses rows in which every column is empty. */
    public ContentRules refuseRowsWithoutValues(final String message) {
        withoutValuesMessage = message;
        return this;
    }

    /** Refuses longer lines, and records of more bytes than this, without keeping them in memory. */
    public ContentRules longestLine(final int bytes) {
        longestLine = bytes;
        return this;
    }

    long open() {
        return Bindings.openContent(new String[] {columns, hashColumn, form, ambiguousMessage, withoutValuesMessage,
                delimiter, quoting, header, output, keyColumns, pattern}, longestLine);
    }
}
