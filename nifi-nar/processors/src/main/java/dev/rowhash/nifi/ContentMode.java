package dev.rowhash.nifi;

import dev.rowhash.nifi.ContentRows.Outcome;
import dev.rowhash.nifi.ContentRows.RefusedContent;
import dev.rowhash.nifi.jni.ContentCounts;
import dev.rowhash.nifi.jni.ContentHasher;
import dev.rowhash.nifi.jni.ContentRules;
import dev.rowhash.nifi.jni.RefusedContentException;
import dev.rowhash.nifi.jni.RowHashException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.nifi.components.PropertyDescriptor;
import org.apache.nifi.components.ValidationContext;
import org.apache.nifi.components.ValidationResult;
import org.apache.nifi.context.PropertyContext;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.processor.DataUnit;

/** The rows of a content that goes through the native library as bytes: NDJSON, delimited text, lines of a pattern. */
final class ContentMode implements ContentRows.Source {

    static final int LONGEST_LINE = 1024 * 1024 * 1024;

    private static final List<String> ROW_SOURCES = Collections.unmodifiableList(Arrays.asList(ComputeRowHash.NDJSON_CONTENT,
            ComputeRowHash.DELIMITED_CONTENT, ComputeRowHash.PATTERN_CONTENT));

    private final ContentHasher hasher;
    private final String mimeType;

    ContentMode(final PropertyContext context, final ContentHasher hasher) {
        this.hasher = hasher;
        this.mimeType = isSameAsInput(context) ? "text/csv" : ContentRows.NDJSON;
    }

    static boolean is(final String rowSource) {
        return ROW_SOURCES.contains(rowSource);
    }

    /** @throws IllegalArgumentException if the properties contradict each other; the message says what to change */
    static ContentHasher open(final PropertyContext context) {
        return ContentHasher.open(rules(context));
    }

    /** What the library says of the properties, beyond the list of columns. */
    static Collection<ValidationResult> validate(final ValidationContext context) {
        final String rowSource = context.getProperty(ComputeRowHash.ROW_SOURCE).getValue();
        if (isSameAsInput(context) && writesNull(context)) {
            return Validators.invalid(ComputeRowHash.EMPTY_VALUES.getName(), "delimited text has no null: set it to "
                    + ComputeRowHash.KEEP_AS_EMPTY_STRING + ", or Output Format to " + ComputeRowHash.NDJSON);
        }
        if (isMissing(context, rowSource)) {
            return Collections.emptyList(); // NiFi itself says that a value is required
        }
        try {
            open(context).close();
            return Collections.emptyList();
        } catch (final IllegalArgumentException e) {
            return Validators.invalid(rowSource, e.getMessage());
        }
    }

    private static boolean isMissing(final PropertyContext context, final String rowSource) {
        return ComputeRowHash.PATTERN_CONTENT.equals(rowSource) && !has(context, ComputeRowHash.PATTERN)
                || !ComputeRowHash.NDJSON_CONTENT.equals(rowSource) && writesNull(context)
                        && !has(context, ComputeRowHash.KEY_COLUMNS);
    }

    private static ContentRules rules(final PropertyContext context) {
        final ContentRules rules = format(context);
        final RowPolicy policy = new RowPolicy(context, Collections.singletonList(value(context, ComputeRowHash.COLUMNS)));
        if (policy.refusesAmbiguous()) {
            rules.refuseAmbiguousRows(RowPolicy.ambiguous(RowPolicy.ANY_COLUMN));
        }
        if (policy.refusesWithoutValues()) {
            rules.refuseRowsWithoutValues(policy.withoutValues());
        }
        return rules.longestLine(context.getProperty(ComputeRowHash.MAXIMUM_LINE_LENGTH).asDataSize(DataUnit.B).intValue());
    }

    private static ContentRules format(final PropertyContext context) {
        final String columns = value(context, ComputeRowHash.COLUMNS);
        final String hashColumn = value(context, ComputeRowHash.HASH_COLUMN);
        final String form = value(context, ComputeRowHash.CANONICAL_FORM);
        final ContentRules rules;
        switch (value(context, ComputeRowHash.ROW_SOURCE)) {
            case ComputeRowHash.DELIMITED_CONTENT:
                rules = ContentRules.delimited(columns, hashColumn, form, value(context, ComputeRowHash.DELIMITER));
                layOut(context, rules);
                break;
            case ComputeRowHash.PATTERN_CONTENT:
                rules = ContentRules.pattern(columns, hashColumn, form, value(context, ComputeRowHash.PATTERN));
                break;
            default:
                return ContentRules.ndjson(columns, hashColumn, form);
        }
        return writesNull(context) ? rules.writeNull(value(context, ComputeRowHash.KEY_COLUMNS)) : rules;
    }

    private static void layOut(final PropertyContext context, final ContentRules rules) {
        if (ComputeRowHash.NONE.equals(value(context, ComputeRowHash.QUOTING))) {
            rules.withoutQuoting();
        }
        if (has(context, ComputeRowHash.HEADER)) {
            rules.header(value(context, ComputeRowHash.HEADER));
        }
        if (isSameAsInput(context)) {
            rules.delimitedOutput();
        }
    }

    /** NiFi hides a property whose dependency is not met, so each question asks for its dependency first. */
    private static boolean isSameAsInput(final PropertyContext context) {
        return ComputeRowHash.DELIMITED_CONTENT.equals(value(context, ComputeRowHash.ROW_SOURCE))
                && ComputeRowHash.SAME_AS_INPUT.equals(value(context, ComputeRowHash.OUTPUT_FORMAT));
    }

    private static boolean writesNull(final PropertyContext context) {
        return !ComputeRowHash.NDJSON_CONTENT.equals(value(context, ComputeRowHash.ROW_SOURCE))
                && ComputeRowHash.WRITE_NULL.equals(value(context, ComputeRowHash.EMPTY_VALUES));
    }

    private static boolean has(final PropertyContext context, final PropertyDescriptor property) {
        return value(context, property) != null;
    }

    private static String value(final PropertyContext context, final PropertyDescriptor property) {
        return context.getProperty(property).getValue();
    }

    @Override
    public Outcome transfer(final FlowFile flowFile, final InputStream in, final OutputStream rows,
                            final OutputStream rejects) throws IOException {
        final ContentCounts counts;
        try {
            counts = hasher.transfer(in, rows, rejects);
        } catch (final RefusedContentException e) {
            throw new RefusedContent(e.getMessage(), e);
        } catch (final RowHashException e) {
            throw new RefusedContent("The content could not be hashed: " + e.getMessage() + ". It is as it came: keep it, report"
                    + " the message with the version of the NAR, and send it through again when that is cured.", e);
        }
        final Map<String, String> attributes = new HashMap<>();
        attributes.put(ContentRows.MIME_TYPE, mimeType);
        return new Outcome(counts.rows(), counts.rejected(), counts.ambiguous(), attributes);
    }

    /** For the Verify button: what the properties have to do with the columns. */
    static String describe(final PropertyContext context) {
        try (ContentHasher opened = open(context)) {
            final String columns = "In canonical order the columns are " + String.join(", ", opened.columns());
            switch (value(context, ComputeRowHash.ROW_SOURCE)) {
                case ComputeRowHash.PATTERN_CONTENT:
                    return columns + ". Each is a group of the pattern";
                case ComputeRowHash.DELIMITED_CONTENT:
                    return columns + (has(context, ComputeRowHash.HEADER) ? ". Each is in Header"
                            : ". The first line of each content must have these names");
                default:
                    return columns + ". A name that an object lacks counts as empty; upper and lower case differ";
            }
        }
    }

    /** The hash of the row a=x, b empty as content, for a check of the library. */
    static String knownHash(final String rowSource) {
        final ByteArrayOutputStream rows = new ByteArrayOutputStream();
        final ByteArrayOutputStream rejects = new ByteArrayOutputStream();
        final String content = ComputeRowHash.NDJSON_CONTENT.equals(rowSource) ? "{\"a\":\"x\"}"
                : ComputeRowHash.DELIMITED_CONTENT.equals(rowSource) ? "a,b\nx," : "x";
        try (ContentHasher hasher = ContentHasher.open(known(rowSource))) {
            hasher.transfer(new ByteArrayInputStream(content.getBytes(StandardCharsets.UTF_8)), rows, rejects);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        final String row = new String(rows.toByteArray(), StandardCharsets.UTF_8);
        return row.replaceAll("(?s).*\"row_hash\":\"([0-9a-f]{32})\".*", "$1");
    }

    private static ContentRules known(final String rowSource) {
        switch (rowSource) {
            case ComputeRowHash.DELIMITED_CONTENT:
                return ContentRules.delimited("b,a", "row_hash", ComputeRowHash.COMPATIBLE, ",");
            case ComputeRowHash.PATTERN_CONTENT:
                return ContentRules.pattern("b,a", "row_hash", ComputeRowHash.COMPATIBLE, "(?<a>x)(?<b>y?)");
            default:
                return ContentRules.ndjson("b,a", "row_hash", ComputeRowHash.COMPATIBLE);
        }
    }
}
