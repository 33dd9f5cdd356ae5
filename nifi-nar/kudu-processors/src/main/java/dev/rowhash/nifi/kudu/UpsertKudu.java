package dev.rowhash.nifi.kudu;

import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.nifi.annotation.behavior.InputRequirement;
import org.apache.nifi.annotation.behavior.ReadsAttribute;
import org.apache.nifi.annotation.behavior.ReadsAttributes;
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
import org.apache.nifi.components.Validator;
import org.apache.nifi.expression.ExpressionLanguageScope;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.kerberos.KerberosUserService;
import org.apache.nifi.logging.ComponentLog;
import org.apache.nifi.processor.AbstractProcessor;
import org.apache.nifi.processor.DataUnit;
import org.apache.nifi.processor.FlowFileFilter.FlowFileFilterResult;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.Relationship;
import org.apache.nifi.processor.VerifiableProcessor;
import org.apache.nifi.record.path.RecordPath;
import org.apache.nifi.serialization.RecordReaderFactory;

@SupportsBatching
@InputRequirement(InputRequirement.Requirement.INPUT_REQUIRED)
@Tags({"kudu", "upsert", "insert", "put", "database", "record", "row", "idempotent"})
@CapabilityDescription("Writes records into a table of Apache Kudu, by upsert unless told otherwise, and fails row by row: the"
        + " good rows are loaded, and only the bad ones go to failure, each with its own reason. It does what PutKudu does, on"
        + " NiFi 1.x and on NiFi 2, which has no PutKudu. While Kudu is away the FlowFiles stay queued.")
@ReadsAttributes({
        @ReadsAttribute(attribute = "load.count", description = "With it the FlowFile is a unit of rows for the load log, also"
                + " when it has one row"),
        @ReadsAttribute(attribute = "rejects.count", description = "How many rows of the same file were refused before;"
                + " then row_index here begins after load.count, so that no row is taken for another")
})
@WritesAttributes({
        @WritesAttribute(attribute = "record.count", description = "On success: how many rows were loaded. On failure, of"
                + " refused rows: how many they are"),
        @WritesAttribute(attribute = "rejects.count", description = "How many rows were refused: on success with those that were"
                + " refused before this processor; on failure those in the content, one JSON object each, with row_index,"
                + " error_message and line_content"),
        @WritesAttribute(attribute = "error_message", description = "On failure and retry: what is wrong, and the cure; for"
                + " refused rows, of the first"),
        @WritesAttribute(attribute = "error_processor", description = "On failure and retry: the name of this processor")
})
@SystemResourceConsideration(resource = SystemResource.MEMORY, description = "Two batches of rows for each concurrent task: one"
        + " that is read and one that is on its way, each of Max Records per Batch and Max Bytes per Batch at most. The"
        + " attributes of FlowFiles per Batch FlowFiles.")
public class UpsertKudu extends AbstractProcessor implements VerifiableProcessor {

    static final String ROUTE_TO_FAILURE = "Route to Failure";
    static final String IGNORE = "Ignore";
    static final String EPOCH_MILLISECONDS = "Epoch Milliseconds";
    static final String EPOCH_MICROSECONDS = "Epoch Microseconds";

    static final String RECORD_COUNT = "record.count";
    static final String REJECTS_COUNT = "rejects.count";
    static final String LOAD_COUNT = "load.count";
    static final String ERROR_MESSAGE = "error_message";
    static final String ERROR_PROCESSOR = "error_processor";

    static final String ROWS_LOADED = "Rows Loaded";
    static final String ROWS_REFUSED = "Rows Refused";

    private static final long MEGABYTE = 1024 * 1024;
    /** Kudu drops the connection over a request of 50 MB. */
    private static final long MOST_BYTES = 32 * MEGABYTE;
    private static final int MOST_ROWS = 100_000;
    private static final int MOST_TIMEOUT_MILLIS = 600_000;

    static final PropertyDescriptor KUDU_MASTERS = new PropertyDescriptor.Builder()
            .name("Kudu Masters")
            .description("The addresses of Kudu's masters: host:port, separated by commas; 7051 where no port is given.")
            .required(true)
            .addValidator(Validators.masters())
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor TABLE_NAME = new PropertyDescriptor.Builder()
            .name("Table Name")
            .description("The table, as Kudu calls it; a table that Impala made is mostly called impala::database.table there.")
            .required(true)
            .addValidator(Validator.VALID) // it can only be judged with a FlowFile's attributes
            .expressionLanguageSupported(ExpressionLanguageScope.FLOWFILE_ATTRIBUTES)
            .build();

    static final PropertyDescriptor RECORD_READER = new PropertyDescriptor.Builder()
            .name("Record Reader")
            .description("Reads the rows from the content.")
            .required(true)
            .identifiesControllerService(RecordReaderFactory.class)
            .build();

    static final PropertyDescriptor OPERATION = new PropertyDescriptor.Builder()
            .name("Kudu Operation Type")
            .description("What is done with each row: " + OperationType.NAMES + ". With UPSERT the same row again overwrites"
                    + " itself, so that a load can be repeated. With INSERT a row that is there is refused, also when it is this"
                    + " processor that tries again after Kudu was away.")
            .required(true)
            .defaultValue(OperationType.UPSERT.name())
            .addValidator(Validators.operation())
            .expressionLanguageSupported(ExpressionLanguageScope.FLOWFILE_ATTRIBUTES)
            .build();

    static final PropertyDescriptor OPERATION_PATH = new PropertyDescriptor.Builder()
            .name("Operation RecordPath")
            .description("Where each record says what is to be done with it. With it Kudu Operation Type does not count.")
            .addValidator(Validators.recordPath())
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor DATA_PATH = new PropertyDescriptor.Builder()
            .name("Data RecordPath")
            .description("Where in each record the row is, itself a record. Without it the record is the row.")
            .addValidator(Validators.recordPath())
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor LOWERCASE = new PropertyDescriptor.Builder()
            .name("Lowercase Field Names")
            .description("Whether a field belongs to the column of its name in lower case.")
            .required(true)
            .allowableValues("true", "false")
            .defaultValue("false")
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor UNKNOWN_FIELDS = new PropertyDescriptor.Builder()
            .name("Unknown Fields")
            .description("What to do with a row that has a value in a field for which the table has no column. "
                    + ROUTE_TO_FAILURE + " finds misspelt names, such as that of a hash column. " + IGNORE + " loads the row"
                    + " without the value.")
            .required(true)
            .allowableValues(ROUTE_TO_FAILURE, IGNORE)
            .defaultValue(ROUTE_TO_FAILURE)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor IGNORE_NULL = new PropertyDescriptor.Builder()
            .name("Ignore NULL")
            .description("Whether a field without a value leaves what the table has in its column. Without it a null overwrites,"
                    + " so that the row is what the record says.")
            .required(true)
            .allowableValues("true", "false")
            .defaultValue("false")
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor TIMESTAMP_NUMBERS = new PropertyDescriptor.Builder()
            .name("Timestamp Numbers")
            .description("What a number means that goes into a column of the type UNIXTIME_MICROS, Impala's TIMESTAMP.")
            .required(true)
            .allowableValues(EPOCH_MILLISECONDS, EPOCH_MICROSECONDS)
            .defaultValue(EPOCH_MILLISECONDS)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor TIMESTAMP_FORMAT = new PropertyDescriptor.Builder()
            .name("Timestamp Format")
            .description("How a text that goes into such a column is written, as a pattern of java.time. Without it ISO 8601:"
                    + " 2026-03-02 09:11:11, with a T in between, a fraction or an offset as well.")
            .addValidator(Validators.format())
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor DATE_FORMAT = new PropertyDescriptor.Builder()
            .name("Date Format")
            .description("How a text that goes into a DATE column is written, as a pattern of java.time. Without it ISO 8601:"
                    + " 2026-03-02.")
            .addValidator(Validators.format())
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor TIME_ZONE = new PropertyDescriptor.Builder()
            .name("Time Zone")
            .description("The zone of a text that names none, such as Asia/Seoul. The zone of the JVM never counts.")
            .required(true)
            .defaultValue("UTC")
            .addValidator(Validators.zone())
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor FLOWFILES = new PropertyDescriptor.Builder()
            .name("FlowFiles per Batch")
            .description("How many FlowFiles are taken from the queue at once, at most. Their rows share batches.")
            .required(true)
            .defaultValue("1000")
            .addValidator(Validators.wholeNumber(1, MOST_ROWS))
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor RECORDS = new PropertyDescriptor.Builder()
            .name("Max Records per Batch")
            .description("How many rows are sent at once, at most.")
            .required(true)
            .defaultValue("1000")
            .addValidator(Validators.wholeNumber(1, MOST_ROWS))
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor BYTES = new PropertyDescriptor.Builder()
            .name("Max Bytes per Batch")
            .description("How much is sent at once, at most. Kudu takes no request over 50 MB, and does not say so: it ends the"
                    + " connection, which looks like a time-out.")
            .required(true)
            .defaultValue("8 MB")
            .addValidator(Validators.dataSize(MOST_BYTES))
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor TIMEOUT = new PropertyDescriptor.Builder()
            .name("Kudu Operation Timeout")
            .description("How long Kudu may take to answer. After that the FlowFiles go back to their queue and the processor"
                    + " yields.")
            .required(true)
            .defaultValue("30 sec")
            .addValidator(Validators.timePeriod(MOST_TIMEOUT_MILLIS))
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor KERBEROS_USER_SERVICE = new PropertyDescriptor.Builder()
            .name("Kerberos User Service")
            .description("Logs in to a Kudu that asks for Kerberos.")
            .identifiesControllerService(KerberosUserService.class)
            .build();

    static final PropertyDescriptor SASL_PROTOCOL = new PropertyDescriptor.Builder()
            .name("Kudu SASL Protocol Name")
            .description("The first part of the principal that Kudu's servers run as.")
            .required(true)
            .defaultValue("kudu")
            .addValidator(Validator.VALID)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final Relationship REL_SUCCESS = new Relationship.Builder()
            .name("success")
            .description("FlowFiles of which all rows, or all but the refused ones, are in the table; record.count says how many."
                    + " The content is as it came")
            .build();

    static final Relationship REL_FAILURE = new Relationship.Builder()
            .name("failure")
            .description("The refused rows of a FlowFile, one JSON object each with row_index, error_message and line_content;"
                    + " a FlowFile of a single row, or one that cannot be read, as it came with error_message")
            .build();

    static final Relationship REL_RETRY = new Relationship.Builder()
            .name("retry")
            .description("FlowFiles, as they came, whose table cannot be written now though Kudu answers: it does not exist, or"
                    + " may not be written; error_message says which. Lead it back to this processor to try again later")
            .build();

    private static final List<PropertyDescriptor> DESCRIPTORS = Collections.unmodifiableList(Arrays.asList(
            KUDU_MASTERS, TABLE_NAME, RECORD_READER, OPERATION, OPERATION_PATH, DATA_PATH, LOWERCASE, UNKNOWN_FIELDS, IGNORE_NULL,
            TIMESTAMP_NUMBERS, TIMESTAMP_FORMAT, DATE_FORMAT, TIME_ZONE, FLOWFILES, RECORDS, BYTES, TIMEOUT,
            KERBEROS_USER_SERVICE, SASL_PROTOCOL));

    private static final Set<Relationship> RELATIONSHIPS = Collections.unmodifiableSet(
            new LinkedHashSet<>(Arrays.asList(REL_SUCCESS, REL_FAILURE, REL_RETRY)));

    private volatile KuduConnection connection;
    private volatile LoadSettings settings;
    private volatile Troubles troubles;

    @Override
    protected List<PropertyDescriptor> getSupportedPropertyDescriptors() {
        return DESCRIPTORS;
    }

    @Override
    public Set<Relationship> getRelationships() {
        return RELATIONSHIPS;
    }

    /** Kudu need not be there: it is asked when the first FlowFile comes. */
    @OnScheduled
    public void prepare(final ProcessContext context) {
        disconnect(); // a start that failed is tried again without a stop in between
        settings = settings(context);
        troubles = new Troubles();
        connection = connect(context);
    }

    @OnStopped
    public void disconnect() {
        final KuduConnection open = connection;
        if (open != null) {
            open.close();
            connection = null;
        }
    }

    private static KuduConnection connect(final ProcessContext context) {
        return new KuduConnection(context.getProperty(KUDU_MASTERS).getValue(),
                context.getProperty(TIMEOUT).asTimePeriod(TimeUnit.MILLISECONDS),
                context.getProperty(SASL_PROTOCOL).getValue(),
                context.getProperty(KERBEROS_USER_SERVICE).asControllerService(KerberosUserService.class));
    }

    private static LoadSettings settings(final ProcessContext context) {
        final TimeRules times = new TimeRules(ZoneId.of(context.getProperty(TIME_ZONE).getValue()),
                EPOCH_MICROSECONDS.equals(context.getProperty(TIMESTAMP_NUMBERS).getValue()),
                context.getProperty(TIMESTAMP_FORMAT).getValue(), context.getProperty(DATE_FORMAT).getValue());
        final RowRules rules = new RowRules(context.getProperty(LOWERCASE).asBoolean(),
                context.getProperty(IGNORE_NULL).asBoolean(),
                IGNORE.equals(context.getProperty(UNKNOWN_FIELDS).getValue()), times);
        return new LoadSettings(rules, context.getProperty(RECORDS).asInteger(),
                context.getProperty(BYTES).asDataSize(DataUnit.B).longValue(), path(context, OPERATION_PATH),
                path(context, DATA_PATH));
    }

    private static RecordPath path(final ProcessContext context, final PropertyDescriptor property) {
        final String path = context.getProperty(property).getValue();
        return path == null ? null : RecordPath.compile(path);
    }

    @Override
    public void onTrigger(final ProcessContext context, final ProcessSession session) {
        final KuduConnection kudu = connection;
        final Availability availability = kudu.availability();
        if (!availability.begin()) {
            context.yield(); // another thread finds out whether Kudu is back
            return;
        }
        try {
            final List<FlowFile> flowFiles = take(context, session);
            if (!flowFiles.isEmpty()) {
                load(context, session, kudu, flowFiles);
            } else if (!troubles.none()) {
                context.yield();
            }
        } finally {
            availability.end();
        }
    }

    /** Those whose table has a trouble that passes stay where they are, in their order. */
    private List<FlowFile> take(final ProcessContext context, final ProcessSession session) {
        final int most = context.getProperty(FLOWFILES).asInteger();
        if (troubles.none()) {
            return session.get(most);
        }
        final AtomicInteger taken = new AtomicInteger();
        return session.get(flowFile -> {
            if (taken.get() == most) {
                return FlowFileFilterResult.REJECT_AND_TERMINATE;
            }
            if (waits(context, flowFile)) {
                return FlowFileFilterResult.REJECT_AND_CONTINUE;
            }
            taken.incrementAndGet();
            return FlowFileFilterResult.ACCEPT_AND_CONTINUE;
        });
    }

    private boolean waits(final ProcessContext context, final FlowFile flowFile) {
        try {
            final String table = evaluate(context, TABLE_NAME, flowFile);
            return table != null && troubles.isPassing(table);
        } catch (final FlowFileRefused e) {
            return false; // it will be refused for this
        }
    }

    private static String evaluate(final ProcessContext context, final PropertyDescriptor property, final FlowFile flowFile)
            throws FlowFileRefused {
        try {
            return context.getProperty(property).evaluateAttributeExpressions(flowFile).getValue();
        } catch (final RuntimeException e) {
            // As where an attribute is no number. Thrown on, it would keep the FlowFiles behind it waiting for ever.
            throw new FlowFileRefused(property.getName() + " cannot be evaluated for this FlowFile: " + e.getMessage());
        }
    }

    private void load(final ProcessContext context, final ProcessSession session, final KuduConnection kudu,
                      final List<FlowFile> flowFiles) {
        final LoadPass pass = new LoadPass(kudu, settings,
                context.getProperty(RECORD_READER).asControllerService(RecordReaderFactory.class), session, getLogger());
        try {
            if (kudu.availability().isAway()) {
                kudu.check();
            }
            final List<FlowFileLoad> loads = new ArrayList<>();
            for (final FlowFile flowFile : flowFiles) {
                loads.add(load(context, session, pass, flowFile));
            }
            pass.finish();
            if (kudu.availability().found()) {
                getLogger().info("Kudu answers again");
            }
            finish(context, session, loads);
        } catch (final KuduUnavailable e) {
            session.rollback();
            context.yield();
            if (kudu.availability().lost()) {
                getLogger().error("{} FlowFiles stay queued until Kudu at {} is there. {}",
                        flowFiles.size(), kudu.addresses(), e.getMessage(), e.getCause());
            }
        } catch (final TableUnavailable e) {
            session.rollback();
            kudu.forget(e.table());
            if (e.isPassing()) {
                troubles.add(e);
                getLogger().error("The FlowFiles of the table {} stay queued. {}", e.table(), e.getMessage());
                return;
            }
            // Another definition of the table may be all that it takes; if not, its FlowFiles go to retry next time.
            if (pass.isFresh(e.table())) {
                troubles.add(e);
            }
            getLogger().warn("The table is opened again, and {} FlowFiles are loaded once more. {}",
                    flowFiles.size(), e.getMessage(), e);
        }
    }

    private FlowFileLoad load(final ProcessContext context, final ProcessSession session, final LoadPass pass,
                              final FlowFile flowFile) throws KuduUnavailable, TableUnavailable {
        final String table;
        final OperationType type;
        try {
            table = table(context, flowFile);
            type = settings.recordsNameOperations() ? null : operation(context, flowFile);
        } catch (final FlowFileRefused e) {
            final FlowFileLoad refused = newLoad(session, flowFile, null);
            refused.fail(e.getMessage());
            return refused;
        }
        final FlowFileLoad load = newLoad(session, flowFile, table);
        final String trouble = troubles.of(table);
        if (trouble != null) {
            load.retryLater(trouble);
            return load;
        }
        try {
            pass.open(table);
        } catch (final TableUnavailable e) {
            troubles.add(e);
            load.retryLater(e.getMessage());
            return load;
        }
        pass.load(load, type);
        return load;
    }

    private FlowFileLoad newLoad(final ProcessSession session, final FlowFile flowFile, final String table) {
        return new FlowFileLoad(session, flowFile, table, new RowJson(settings.rules().times()), Outcomes.firstNumber(flowFile));
    }

    private static String table(final ProcessContext context, final FlowFile flowFile) throws FlowFileRefused {
        final String table = evaluate(context, TABLE_NAME, flowFile);
        if (table == null || table.trim().isEmpty()) {
            throw new FlowFileRefused("Table Name is empty for this FlowFile: set the attribute that it is taken from");
        }
        return table;
    }

    private static OperationType operation(final ProcessContext context, final FlowFile flowFile) throws FlowFileRefused {
        final String operation = evaluate(context, OPERATION, flowFile);
        return OperationType.of(operation).orElseThrow(() -> new FlowFileRefused("Kudu Operation Type is '" + operation
                + "' for this FlowFile: it must be one of " + OperationType.NAMES));
    }

    private void finish(final ProcessContext context, final ProcessSession session, final List<FlowFileLoad> loads) {
        final Outcomes outcomes = new Outcomes(context, session);
        loads.forEach(outcomes::finish);
        outcomes.count();
        outcomes.log(getLogger(), loads.size());
    }

    @Override
    public List<ConfigVerificationResult> verify(final ProcessContext context, final ComponentLog verificationLogger,
                                                 final Map<String, String> attributes) {
        try (KuduConnection kudu = connect(context)) {
            return new Verification(kudu).run(
                    context.getProperty(TABLE_NAME).evaluateAttributeExpressions(attributes).getValue());
        }
    }
}
