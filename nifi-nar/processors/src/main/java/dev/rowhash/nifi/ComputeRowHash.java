package dev.rowhash.nifi;

import dev.rowhash.nifi.jni.ContentHasher;
import dev.rowhash.nifi.jni.HashedRow;
import dev.rowhash.nifi.jni.RowHashException;
import dev.rowhash.nifi.jni.RowHasher;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.nifi.annotation.behavior.InputRequirement;
import org.apache.nifi.annotation.behavior.ReadsAttribute;
import org.apache.nifi.annotation.behavior.SideEffectFree;
import org.apache.nifi.annotation.behavior.SupportsBatching;
import org.apache.nifi.annotation.behavior.SystemResource;
import org.apache.nifi.annotation.behavior.SystemResourceConsideration;
import org.apache.nifi.annotation.behavior.WritesAttribute;
import org.apache.nifi.annotation.behavior.WritesAttributes;
import org.apache.nifi.annotation.documentation.CapabilityDescription;
import org.apache.nifi.annotation.documentation.Tags;
import org.apache.nifi.annotation.lifecycle.OnScheduled;
import org.apache.nifi.annotation.lifecycle.OnStopped;
import org.apache.nifi.components.ConfigVerificationResult;
import org.apache.nifi.components.PropertyDescriptor;
import org.apache.nifi.components.ValidationContext;
import org.apache.nifi.components.ValidationResult;
import org.apache.nifi.components.Validator;
import org.apache.nifi.context.PropertyContext;
import org.apache.nifi.expression.ExpressionLanguageScope;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.logging.ComponentLog;
import org.apache.nifi.processor.AbstractProcessor;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.Relationship;
import org.apache.nifi.processor.VerifiableProcessor;
import org.apache.nifi.serialization.RecordReaderFactory;
import org.apache.nifi.serialization.RecordSetWriterFactory;

@SupportsBatching
@SideEffectFree
@InputRequirement(InputRequirement.Requirement.INPUT_REQUIRED)
@Tags({"hash", "md5", "row", "row_hash", "key", "upsert", "idempotent", "kudu", "attributes", "record", "json", "ndjson",
        "csv", "delimited", "regex"})
@CapabilityDescription("Computes the hash of a row from the listed columns, so that loading the same row again writes the"
        + " same key. The columns are sorted by name, a column without a value counts as \\N, the values are joined by |"
        + " and the UTF-8 bytes are hashed with MD5. Replaces a Groovy script that does the same, with equal hashes."
        + " The hash column must be listed downstream too: in Attributes List of AttributesToJSON, with PutKudu's"
        + " Insert Operation set to UPSERT; see Additional Details.")
@ReadsAttribute(attribute = "each name in Columns", description = "Where the row is in attributes: a value of"
        + " the row; absent and empty are the same")
@WritesAttributes({
        @WritesAttribute(attribute = "the name in Hash Column", description = "On success, where the row is in attributes:"
                + " 32 lower-case hexadecimal digits"),
        @WritesAttribute(attribute = "error_message", description = "On failure: what is wrong with the row, and the cure"),
        @WritesAttribute(attribute = "error_processor", description = "On failure: the name of this processor"),
        @WritesAttribute(attribute = "record.count", description = "Where the rows are in the content: how many rows are in"
                + " this one"),
        @WritesAttribute(attribute = "rejects.count", description = "Where the rows are in the content: how many bad rows there"
                + " were; on failure they are the content"),
        @WritesAttribute(attribute = "load.count", description = "Where the rows are in the content: how many rows there were,"
                + " good and bad; EmitLoadLog counts with it"),
        @WritesAttribute(attribute = "mime.type", description = "Where the rows are in the content: its type")
})
@SystemResourceConsideration(resource = SystemResource.MEMORY, description = "The attributes of up to Batch Size FlowFiles"
        + " are in memory at once. Their values are copied for the native library until 4 million characters are reached,"
        + " then the next call begins; a single longer row is copied as a whole, some 8 bytes a character, for each"
        + " concurrent task. The content of the FlowFiles is never read.")
public class ComputeRowHash extends AbstractProcessor implements VerifiableProcessor {

    static final String FLOWFILE_ATTRIBUTES = "FlowFile Attributes";
    static final String RECORDS = "Records";
    static final String NDJSON_CONTENT = "NDJSON Content";
    static final String DELIMITED_CONTENT = "Delimited Content";
    static final String PATTERN_CONTENT = "Pattern Content";
    static final String RFC_4180 = "RFC 4180";
    static final String NONE = "None";
    static final String NDJSON = "NDJSON";
    static final String SAME_AS_INPUT = "Same as Input";
    static final String KEEP_AS_EMPTY_STRING = "Keep as Empty String";
    static final String WRITE_NULL = "Write Null";
    static final String COMPATIBLE = "Compatible";
    static final String ESCAPED = "Escaped";
    static final String ALLOW = "Allow";
    static final String ROUTE_TO_FAILURE = "Route to Failure";

    static final String ERROR_MESSAGE = "error_message";
    static final String ERROR_PROCESSOR = "error_processor";

    static final String ROWS_HASHED = "Rows Hashed";
    static final String AMBIGUOUS_ROWS_COUNTED = "Ambiguous Rows";
    static final String ROWS_REFUSED = "Rows Refused";

    static final PropertyDescriptor ROW_SOURCE = new PropertyDescriptor.Builder()
            .name("Row Source")
            .description("Where the rows are; a row has the same hash in each place. " + FLOWFILE_ATTRIBUTES + ": a FlowFile"
                    + " is a row, its attributes are the values. With the others the content holds many rows. " + RECORDS
                    + ": for any Record Reader and Writer. " + NDJSON_CONTENT + ": a JSON object a line. " + DELIMITED_CONTENT
                    + ": CSV and the like. " + PATTERN_CONTENT + ": lines that a regular expression takes apart. The last three"
                    + " read UTF-8 and are by far the fastest.")
            .required(true)
            .allowableValues(FLOWFILE_ATTRIBUTES, RECORDS, NDJSON_CONTENT, DELIMITED_CONTENT, PATTERN_CONTENT)
            .defaultValue(FLOWFILE_ATTRIBUTES)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor COLUMNS = new PropertyDescriptor.Builder()
            .name("Columns")
            .description("The columns that make up the hash: names separated by commas, in any order; white space and line"
                    + " breaks around a name do not count. Upper and lower case differ. Never list the hash column.")
            .required(true)
            .addValidator(Validator.VALID) // the native library checks the list: customValidate
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor HASH_COLUMN = new PropertyDescriptor.Builder()
            .name("Hash Column")
            .description("The attribute or the field that receives the hash. One that exists is overwritten; a field of"
                    + " records becomes a string.")
            .required(true)
            .defaultValue("row_hash")
            .addValidator(Validator.VALID)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor CANONICAL_FORM = new PropertyDescriptor.Builder()
            .name("Canonical Form")
            .description(COMPATIBLE + ": equal to the hashes of the Groovy script, so of tables that exist. " + ESCAPED
                    + ": | and \\ in a value are escaped, so that two different rows never have the same text; for new"
                    + " tables only, since the hashes of such rows differ from the compatible ones.")
            .required(true)
            .allowableValues(COMPATIBLE, ESCAPED)
            .defaultValue(COMPATIBLE)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor AMBIGUOUS_ROWS = new PropertyDescriptor.Builder()
            .name("Ambiguous Rows")
            .description("What to do in the compatible form with a row that has a value with | in it or that is exactly \\N:"
                    + " another row can have the same hash and would be overwritten. They are counted either way.")
            .required(true)
            .allowableValues(ALLOW, ROUTE_TO_FAILURE)
            .defaultValue(ALLOW)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor ROWS_WITHOUT_VALUES = new PropertyDescriptor.Builder()
            .name("Rows Without Values")
            .description("What to do with a row none of whose columns has a value. All such rows have one hash and would"
                    + " overwrite each other; mostly the flow sets attributes of other names.")
            .required(true)
            .allowableValues(ROUTE_TO_FAILURE, ALLOW)
            .defaultValue(ROUTE_TO_FAILURE)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor RECORD_READER = new PropertyDescriptor.Builder()
            .name("Record Reader")
            .description("Reads the records. The type of a field counts: 5.0 as a number has the text 5, and a timestamp the"
                    + " text of its instant in UTC; see Additional Details.")
            .required(true)
            .identifiesControllerService(RecordReaderFactory.class)
            .dependsOn(ROW_SOURCE, RECORDS)
            .build();

    static final PropertyDescriptor RECORD_WRITER = new PropertyDescriptor.Builder()
            .name("Record Writer")
            .description("Writes the records with their hash. It inherits the schema with the hash column added, or its own"
                    + " schema has to have that column.")
            .required(true)
            .identifiesControllerService(RecordSetWriterFactory.class)
            .dependsOn(ROW_SOURCE, RECORDS)
            .build();

    static final PropertyDescriptor DELIMITER = new PropertyDescriptor.Builder()
            .name("Delimiter")
            .description("What stands between the values of a line: one ASCII character, or \\t for a tab, or \\u0001 and the"
                    + " like.")
            .required(true)
            .defaultValue(",")
            .addValidator(Validator.VALID) // the native library checks it: customValidate
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .dependsOn(ROW_SOURCE, DELIMITED_CONTENT)
            .build();

    static final PropertyDescriptor QUOTING = new PropertyDescriptor.Builder()
            .name("Quoting")
            .description(RFC_4180 + ": a value in double quotes can hold the delimiter, line breaks, and \"\" for a quote. " + NONE
                    + ": a quote is a character like any other, as in logs that a script splits at the delimiter.")
            .required(true)
            .allowableValues(RFC_4180, NONE)
            .defaultValue(RFC_4180)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .dependsOn(ROW_SOURCE, DELIMITED_CONTENT)
            .build();

    static final PropertyDescriptor HEADER = new PropertyDescriptor.Builder()
            .name("Header")
            .description("The names of the values of a line, in their order, separated by commas, for content without a header"
                    + " line. Without them the first line is the header.")
            .addValidator(Validator.VALID)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .dependsOn(ROW_SOURCE, DELIMITED_CONTENT)
            .build();

    static final PropertyDescriptor PATTERN = new PropertyDescriptor.Builder()
            .name("Pattern")
            .description("A regular expression whose named groups are the columns: (?<name>...). The first match in a line counts;"
                    + " begin with ^ and end with $ for the whole line. A line without a match is a bad row, a group without one"
                    + " an empty value. It is of the Rust regex syntax: no look-around and no back-references, and \\d, \\w,"
                    + " \\s and . are for all of Unicode, not for ASCII as in Java: [0-9] and (?-u:\\w) are those. Its time grows"
                    + " with the length of the line alone.")
            .required(true)
            .addValidator(Validator.VALID)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .dependsOn(ROW_SOURCE, PATTERN_CONTENT)
            .build();

    static final PropertyDescriptor OUTPUT_FORMAT = new PropertyDescriptor.Builder()
            .name("Output Format")
            .description(NDJSON + ": a JSON object a line, all values as strings, which JsonTreeReader and so PutKudu can read. "
                    + SAME_AS_INPUT + ": the delimited text itself, with the hash as one more value of each line.")
            .required(true)
            .allowableValues(NDJSON, SAME_AS_INPUT)
            .defaultValue(NDJSON)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .dependsOn(ROW_SOURCE, DELIMITED_CONTENT)
            .build();

    static final PropertyDescriptor EMPTY_VALUES = new PropertyDescriptor.Builder()
            .name("Empty Values")
            .description("What an empty value becomes in JSON; its hash is the same. " + KEEP_AS_EMPTY_STRING + ": as a flow writes"
                    + " it that makes a FlowFile of each line and ends in AttributesToJSON. " + WRITE_NULL + ": as the Record"
                    + " Readers read it.")
            .required(true)
            .allowableValues(KEEP_AS_EMPTY_STRING, WRITE_NULL)
            .defaultValue(KEEP_AS_EMPTY_STRING)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .dependsOn(ROW_SOURCE, DELIMITED_CONTENT, PATTERN_CONTENT)
            .build();

    static final PropertyDescriptor KEY_COLUMNS = new PropertyDescriptor.Builder()
            .name("Key Columns")
            .description("The columns of the table's primary key, separated by commas: they can never be null, so an empty value"
                    + " of theirs stays an empty string.")
            .required(true)
            .addValidator(Validator.VALID)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .dependsOn(EMPTY_VALUES, WRITE_NULL)
            .build();

    static final PropertyDescriptor MAXIMUM_LINE_LENGTH = new PropertyDescriptor.Builder()
            .name("Maximum Line Length")
            .description("A line that is longer is a bad row and is not kept in memory. For quoted values that hold line breaks"
                    + " it is the length of the whole row.")
            .required(true)
            .defaultValue("1 MB")
            .addValidator(Validators.dataSizeUpTo(ContentMode.LONGEST_LINE))
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .dependsOn(ROW_SOURCE, NDJSON_CONTENT, DELIMITED_CONTENT, PATTERN_CONTENT)
            .build();

    static final PropertyDescriptor BATCH_SIZE = new PropertyDescriptor.Builder()
            .name("Batch Size")
            .description("How many FlowFiles are taken from the queue and hashed at once, at most.")
            .required(true)
            .defaultValue("128")
            .addValidator(Validators.wholeNumberFrom(1))
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .dependsOn(ROW_SOURCE, FLOWFILE_ATTRIBUTES)
            .build();

    public static final Relationship REL_SUCCESS = new Relationship.Builder()
            .name("success")
            .description("FlowFiles that have their hash, or whose good rows have theirs")
            .build();

    public static final Relationship REL_FAILURE = new Relationship.Builder()
            .name("failure")
            .description("FlowFiles without a hash: error_message says why and what to do; all else is as it came, also an"
                    + " attribute of the hash column's name, which is then not the hash of this row. Of a content with good"
                    + " rows and bad ones only the bad ones, as NDJSON that names each row, its reason and its text")
            .build();

    private static final List<PropertyDescriptor> DESCRIPTORS = Collections.unmodifiableList(Arrays.asList(
            ROW_SOURCE, COLUMNS, HASH_COLUMN, CANONICAL_FORM, AMBIGUOUS_ROWS, ROWS_WITHOUT_VALUES,
            RECORD_READER, RECORD_WRITER, DELIMITER, QUOTING, HEADER, PATTERN, OUTPUT_FORMAT, EMPTY_VALUES, KEY_COLUMNS,
            MAXIMUM_LINE_LENGTH, BATCH_SIZE));

    private static final Set<Relationship> RELATIONSHIPS = Collections.unmodifiableSet(
            new LinkedHashSet<>(Arrays.asList(REL_SUCCESS, REL_FAILURE)));

    private volatile RowHasher hasher;
    /** Null unless the content goes through the library as bytes. */
    private volatile ContentHasher contentHasher;

    @Override
    protected List<PropertyDescriptor> getSupportedPropertyDescriptors() {
        return DESCRIPTORS;
    }

    @Override
    public Set<Relationship> getRelationships() {
        return RELATIONSHIPS;
    }

    @Override
    protected Collection<ValidationResult> customValidate(final ValidationContext context) {
        for (final PropertyDescriptor names : Arrays.asList(COLUMNS, HASH_COLUMN)) {
            if (context.getProperty(names).getValue().contains("${")) {
                return Validators.invalid(names.getName(),
                        "${ begins Expression Language, which is not evaluated here, since all rows"
                        + " of a table are hashed over the same columns. Write the names, or name a parameter: #{...}");
            }
        }
        try (RowHasher opened = open(context)) {
            final String rowSource = context.getProperty(ROW_SOURCE).getValue();
            if (!FLOWFILE_ATTRIBUTES.equals(rowSource)) {
                return ContentMode.is(rowSource) ? ContentMode.validate(context) : Collections.emptyList();
            }
            final Set<String> names = new HashSet<>(opened.columns());
            names.add(context.getProperty(HASH_COLUMN).getValue());
            if (names.contains("uuid")) {
                return Validators.invalid("Columns and Hash Column",
                        "the attribute uuid belongs to NiFi, which gives each FlowFile"
                        + " another one: the same row would have another hash each time. Copy the value into an attribute"
                        + " of another name, or leave it out");
            }
            for (final String written : Arrays.asList(ERROR_MESSAGE, ERROR_PROCESSOR)) {
                if (names.contains(written)) {
                    return Validators.invalid("Columns and Hash Column",
                            "the attribute " + written + " receives the text of a refusal,"
                            + " which would replace the row's own value. Copy the value into an attribute of another name,"
                            + " or leave it out");
                }
            }
            return Collections.emptyList();
        } catch (final IllegalArgumentException e) {
            return Validators.invalid("Columns and Hash Column", e.getMessage());
        } catch (final RowHashException e) {
            return Validators.invalid("Native Library", e.getMessage());
        }
    }

    @OnScheduled
    public void openHasher(final ProcessContext context) {
        // A start that failed is tried again without a stop in between.
        closeHasher();
        if (ContentMode.is(context.getProperty(ROW_SOURCE).getValue())) {
            contentHasher = ContentMode.open(context);
        } else {
            hasher = open(context);
        }
    }

    @OnStopped
    public void closeHasher() {
        final RowHasher opened = hasher;
        if (opened != null) {
            opened.close();
        }
        final ContentHasher content = contentHasher;
        if (content != null) {
            content.close();
        }
    }

    @Override
    public void onTrigger(final ProcessContext context, final ProcessSession session) {
        if (FLOWFILE_ATTRIBUTES.equals(context.getProperty(ROW_SOURCE).getValue())) {
            hashAttributes(context, session);
        } else {
            hashContent(context, session);
        }
    }

    private void hashContent(final ProcessContext context, final ProcessSession session) {
        final FlowFile flowFile = session.get();
        if (flowFile == null) {
            return;
        }
        if (ContentMode.is(context.getProperty(ROW_SOURCE).getValue())) {
            final ContentHasher content = contentHasher;
            rows(context, session, content.columns()).hash(flowFile, new ContentMode(context, content));
        } else {
            final RowHasher rule = hasher;
            rows(context, session, rule.columns()).hash(flowFile, records(context, rule));
        }
    }

    private ContentRows rows(final ProcessContext context, final ProcessSession session, final List<String> columns) {
        return new ContentRows(context, session, getLogger(), details(context, columns));
    }

    private ContentRows.Source records(final ProcessContext context, final RowHasher rule) {
        return new RecordRows(rule, new RowPolicy(context, rule.columns()), context.getProperty(HASH_COLUMN).getValue(),
                context.getProperty(RECORD_READER).asControllerService(RecordReaderFactory.class),
                context.getProperty(RECORD_WRITER).asControllerService(RecordSetWriterFactory.class), getLogger());
    }

    private void hashAttributes(final ProcessContext context, final ProcessSession session) {
        final List<FlowFile> flowFiles = session.get(context.getProperty(BATCH_SIZE).asInteger());
        if (flowFiles.isEmpty()) {
            return;
        }

        final RowHasher rule = hasher;
        final RowPolicy policy = new RowPolicy(context, rule.columns());
        final String details = details(context, rule.columns());
        final Refusals refusals = new Refusals();
        int ambiguous = 0;
        for (final AttributeRows.Result result
                : new AttributeRows(rule::batch).hash(flowFiles)) {
            final FlowFile flowFile = result.flowFile();
            if (result.failure() != null) {
                final String message = RowPolicy.nativeFailure(result.failure());
                refusals.add(Refusals.Reason.NATIVE_FAILURE, flowFile, message, result.failure());
                fail(context, session, flowFile, message);
                continue;
            }

            final HashedRow row = result.row();
            if (row.ambiguousColumn().isPresent()) {
                ambiguous++;
            }
            final Optional<String> refusal = policy.refusal(row);
            if (refusal.isPresent()) {
                refusals.add(row.isWithoutValues() ? Refusals.Reason.WITHOUT_VALUES : Refusals.Reason.AMBIGUOUS, flowFile,
                        refusal.get(), null);
                fail(context, session, flowFile, refusal.get());
            } else {
                succeed(context, session, flowFile, row.hash(), details);
            }
        }

        count(session, ROWS_HASHED, flowFiles.size() - refusals.count());
        count(session, AMBIGUOUS_ROWS_COUNTED, ambiguous);
        count(session, ROWS_REFUSED, refusals.count());
        refusals.log(getLogger(), flowFiles.size());
    }

    private static String details(final ProcessContext context, final List<String> columns) {
        return context.getProperty(HASH_COLUMN).getValue() + " of the columns " + String.join(", ", columns) + " in the form "
                + context.getProperty(CANONICAL_FORM).getValue();
    }

    @Override
    public List<ConfigVerificationResult> verify(final ProcessContext context, final ComponentLog verificationLogger,
                                                 final Map<String, String> attributes) {
        final Verification verification = new Verification(attributes);
        final String rowSource = context.getProperty(ROW_SOURCE).getValue();
        if (FLOWFILE_ATTRIBUTES.equals(rowSource)) {
            return verification.run(() -> open(context));
        }
        return ContentMode.is(rowSource)
                ? verification.run(() -> ContentMode.knownHash(rowSource), () -> ContentMode.describe(context))
                : verification.run(RecordRows::knownHash, () -> describeColumns(context));
    }

    private static String describeColumns(final PropertyContext context) {
        try (RowHasher opened = open(context)) {
            return "In canonical order the columns are " + String.join(", ", opened.columns())
                    + ". Whether the records have such fields shows when some are read: one that none has is an error";
        }
    }

    private static RowHasher open(final PropertyContext context) {
        return RowHasher.open(context.getProperty(COLUMNS).getValue(), context.getProperty(HASH_COLUMN).getValue(),
                context.getProperty(CANONICAL_FORM).getValue());
    }

    private static void succeed(final ProcessContext context, final ProcessSession session, final FlowFile flowFile,
                                final String hash, final String details) {
        FlowFile hashed = session.putAttribute(flowFile, context.getProperty(HASH_COLUMN).getValue(), hash);
        // A row that this processor refused before and that was sent back is no failure any more.
        if (context.getName().equals(hashed.getAttribute(ERROR_PROCESSOR))) {
            hashed = session.removeAllAttributes(hashed, new HashSet<>(Arrays.asList(ERROR_MESSAGE, ERROR_PROCESSOR)));
        }
        session.getProvenanceReporter().modifyAttributes(hashed, details);
        session.transfer(hashed, REL_SUCCESS);
    }

    private static void fail(final ProcessContext context, final ProcessSession session, final FlowFile flowFile,
                             final String message) {
        final Map<String, String> error = new HashMap<>();
        error.put(ERROR_MESSAGE, message);
        error.put(ERROR_PROCESSOR, context.getName());
        session.transfer(session.putAllAttributes(flowFile, error), REL_FAILURE);
    }

    static void count(final ProcessSession session, final String counter, final long rows) {
        if (rows > 0) {
            session.adjustCounter(counter, rows, false);
        }
    }
}
