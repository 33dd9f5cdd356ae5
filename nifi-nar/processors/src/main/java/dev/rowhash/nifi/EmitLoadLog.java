package dev.rowhash.nifi;

import dev.rowhash.nifi.jni.LoadLedger;
import dev.rowhash.nifi.jni.RowHashException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.nifi.annotation.behavior.InputRequirement;
import org.apache.nifi.annotation.behavior.ReadsAttribute;
import org.apache.nifi.annotation.behavior.ReadsAttributes;
import org.apache.nifi.annotation.behavior.Stateful;
import org.apache.nifi.annotation.behavior.SystemResource;
import org.apache.nifi.annotation.behavior.SystemResourceConsideration;
import org.apache.nifi.annotation.behavior.TriggerSerially;
import org.apache.nifi.annotation.behavior.TriggerWhenEmpty;
import org.apache.nifi.annotation.behavior.WritesAttribute;
import org.apache.nifi.annotation.behavior.WritesAttributes;
import org.apache.nifi.annotation.documentation.CapabilityDescription;
import org.apache.nifi.annotation.documentation.SeeAlso;
import org.apache.nifi.annotation.documentation.Tags;
import org.apache.nifi.annotation.lifecycle.OnScheduled;
import org.apache.nifi.components.ConfigVerificationResult;
import org.apache.nifi.components.PropertyDescriptor;
import org.apache.nifi.components.ValidationContext;
import org.apache.nifi.components.ValidationResult;
import org.apache.nifi.components.Validator;
import org.apache.nifi.components.state.Scope;
import org.apache.nifi.expression.ExpressionLanguageScope;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.logging.ComponentLog;
import org.apache.nifi.processor.AbstractProcessor;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.Relationship;
import org.apache.nifi.processor.VerifiableProcessor;

@TriggerSerially // more tasks would only contend for the one state
@TriggerWhenEmpty // a batch becomes final by time alone
@InputRequirement(InputRequirement.Requirement.INPUT_REQUIRED)
@Stateful(scopes = Scope.CLUSTER, description = "The ledger: for each open batch the sets of items that were loaded and that"
        + " failed, compressed. One for the whole cluster, changed by compare-and-swap before the session commits, so that a"
        + " retry, a restart or a second node counts nothing twice. A batch leaves it some time after it is final."
        + " Clear it only when nothing of an open batch is in the flow any more.")
@SystemResourceConsideration(resource = SystemResource.MEMORY, description = "6 MB to notice identical rows, once items that"
        + " carry their row_hash come. Events are read in pieces, a file of rejects too.")
@SeeAlso({ReplayLoadLog.class, PutSpringBatchMetadata.class, ComputeRowHash.class})
@Tags({"load", "log", "batch", "history", "audit", "failure", "retry", "replay", "load_log", "kudu"})
@CapabilityDescription("Keeps the load history: every path of a flow ends here, loaded items and each failure, and what comes"
        + " out are records for the tables load_log_master (what a batch read, loaded and lost) and load_log_detail (each"
        + " failed item with its reason and its content). The records go through the flow's own sink, by upsert. The incoming"
        + " FlowFile goes on unchanged; see Additional Details for how to wire each path.")
@ReadsAttributes({
        @ReadsAttribute(attribute = "error_processor", description = "Which processor failed; with it the FlowFile is a failure"),
        @ReadsAttribute(attribute = "error_message", description = "Why; where it is missing the record says so"),
        @ReadsAttribute(attribute = "load.outcome", description = "By the default of Outcome: declared for the original of a"
                + " split; else empty"),
        @ReadsAttribute(attribute = "load.units", description = "How many units, such as files, the batch has, if that is known"),
        @ReadsAttribute(attribute = "fragment.identifier, fragment.index, fragment.count", description = "The unit, the item in"
                + " it and how many there are"),
        @ReadsAttribute(attribute = "record.count, rejects.count, row_index", description = "The rows of a file that was not"
                + " split"),
        @ReadsAttribute(attribute = "row_hash", description = "By the default of Row Hash: the item's hash"),
        @ReadsAttribute(attribute = IdenticalRows.OF_A_FILE, description = "How many rows of a file that was not split are equal"
                + " to an earlier one of it; for the counter " + EmitLoadLog.IDENTICAL_ROWS_COUNTED + " alone"),
        @ReadsAttribute(attribute = "load.*", description = "What ReplayLoadLog gives an item to find its record again")
})
@WritesAttributes({
        @WritesAttribute(attribute = "record.count", description = "On master and detail: how many records"),
        @WritesAttribute(attribute = "mime.type", description = "On master and detail: application/x-ndjson"),
        @WritesAttribute(attribute = EmitLoadLog.ATTEMPT, description = "On master: which run of their batches the records tell"
                + " of; 1 is the first, and each replay opens the next. Records of several attempts come as a FlowFile each"),
        @WritesAttribute(attribute = EmitLoadLog.REFUSED, description = "On failure: why the FlowFile could not be logged")
})
public class EmitLoadLog extends AbstractProcessor implements VerifiableProcessor {

    static final String CONTENT = "Content";
    static final String ATTRIBUTE = "Attribute";
    static final String NONE = "None";

    static final String REFUSED = "load.refused";
    static final String ATTEMPT = "load.attempt";

    static final String EVENTS_COUNTED = "Events Logged";
    static final String MASTER_RECORDS_COUNTED = "Master Records";
    static final String DETAIL_RECORDS_COUNTED = "Detail Records";
    static final String IDENTICAL_ROWS_COUNTED = "Identical Rows";
    static final String REFUSED_COUNTED = "FlowFiles Refused";

    /** Each lost swap means that another node won one: far more than ever come in a row. */
    private static final int MAX_SWAPS = 100;

    static final PropertyDescriptor SOURCE_TYPE = key("Source Type", "src_type",
            "Where the rows come from: DB, NAS or KAFKA.");
    static final PropertyDescriptor REGION = key("Region", "regn", "The region or system of the source.");
    static final PropertyDescriptor DATABASE_NAME = key("Database Name", "db_name", "The database of the target table.");
    static final PropertyDescriptor TABLE_NAME = key("Table Name", "table_name", "The target table.");
    static final PropertyDescriptor BASE_TIMESTAMP = key("Base Timestamp", "base_dts",
            "When the batch began, as yyyyMMddHHmmss. Set it before the first split, and only where it is not set yet, so"
                    + " that a replayed item keeps its batch: ${base_dts:replaceEmpty(${now():format('yyyyMMddHHmmss')})}.");

    static final PropertyDescriptor OUTCOME = field("Outcome", "${load.outcome}",
            "What happened: declared (the unit was split, this is its original), loaded, failed, or unit failed (the unit as a"
                    + " whole). Empty: failed if there is an attribute error_processor, else loaded.").build();

    static final PropertyDescriptor LINE_CONTENT = new PropertyDescriptor.Builder()
            .name("Line Content")
            .description("What is kept of a failed item, so that it can be loaded again from the log: the FlowFile's content,"
                    + " the value of an attribute, or nothing. More than 65,536 bytes of UTF-8 are not kept; such an item is"
                    + " read from its source again. Rejects bring their own.")
            .required(true)
            .allowableValues(CONTENT, ATTRIBUTE, NONE)
            .defaultValue(CONTENT)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor LINE_CONTENT_ATTRIBUTE = new PropertyDescriptor.Builder()
            .name("Line Content Attribute")
            .description("The name of the attribute that holds the line or the row.")
            .required(true)
            .dependsOn(LINE_CONTENT, ATTRIBUTE)
            .addValidator(Validator.VALID)
            .expressionLanguageSupported(ExpressionLanguageScope.FLOWFILE_ATTRIBUTES)
            .build();

    static final PropertyDescriptor CHARACTER_SET = new PropertyDescriptor.Builder()
            .name("Character Set")
            .description("How the content of a failed item is encoded. Content that is no text in it is not kept; such an item"
                    + " is read from its source again. Give ReplayLoadLog the same one.")
            .required(true)
            .defaultValue("UTF-8")
            .addValidator(Validators.characterSet())
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor FILE_PATH = field("File Path", "${absolute.path}", "The file's folder.").build();
    static final PropertyDescriptor FILE_NAME = field("File Name", "${filename}", "The file's name.").build();
    static final PropertyDescriptor KAFKA_TOPIC = field("Kafka Topic", "${kafka.topic}", "The message's topic.").build();
    static final PropertyDescriptor KAFKA_PARTITION = field("Kafka Partition", "${kafka.partition}",
            "The message's partition.").build();
    static final PropertyDescriptor KAFKA_OFFSET = field("Kafka Offset", "${kafka.offset}", "The message's offset.").build();
    static final PropertyDescriptor KAFKA_CATEGORY = field("Kafka Category", "${kafka_category}",
            "The message's category.").build();
    static final PropertyDescriptor KAFKA_SERVICE = field("Kafka Service", "${kafka_svc}", "The message's service.").build();
    static final PropertyDescriptor RECORD_KEY = field("Record Key", "${record_key}",
            "What finds the row in its database again.").build();

    static final PropertyDescriptor ROW_HASH = field("Row Hash", "${row_hash}",
            "The hash of a loaded item's row. Equal ones in a unit are one row of the table: the counter "
                    + IDENTICAL_ROWS_COUNTED + " shows how many were noticed. Nothing else depends on it.").build();

    static final PropertyDescriptor SETTLE_TIME = time("Settle Time", "5 sec",
            "How long no new unit may come before a batch whose items are all accounted for is final. With load.units it is"
                    + " final at once.");
    static final PropertyDescriptor BATCH_TIMEOUT = time("Batch Timeout", "1 day",
            "How long nothing may be heard of a batch before what is missing of it counts as failed: each such item gets a"
                    + " record. It must be longer than the longest stop of the flow, or of its sink, that is to be waited for.");
    static final PropertyDescriptor CLOSED_BATCH_RETENTION = time("Closed Batch Retention", "10 min",
            "How long after its end a batch is the same one for whatever comes. After that it is kept for what comes late: until"
                    + " the Batch Timeout, and one with failures until they are loaded, where the state has room.");

    static final PropertyDescriptor LOG_LOADED_ITEMS = new PropertyDescriptor.Builder()
            .name("Log Loaded Items")
            .description("Whether each loaded item gets a detail record too. Without it only failures do, and items that were"
                    + " run again.")
            .required(true)
            .allowableValues("true", "false")
            .defaultValue("false")
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor BATCH_SIZE = new PropertyDescriptor.Builder()
            .name("Batch Size")
            .description("How many FlowFiles are taken from the queue at once, at most: all of them together are one change of"
                    + " the state and give one FlowFile of records a table.")
            .required(true)
            .defaultValue("1000")
            .addValidator(Validators.wholeNumberFrom(1))
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final Relationship REL_SUCCESS = new Relationship.Builder()
            .name("success")
            .description("The incoming FlowFiles, unchanged, once they are logged")
            .build();

    static final Relationship REL_MASTER = new Relationship.Builder()
            .name("master")
            .description("Records for load_log_master as NDJSON, to be upserted; for PutSpringBatchMetadata too")
            .build();

    static final Relationship REL_DETAIL = new Relationship.Builder()
            .name("detail")
            .description("Records for load_log_detail as NDJSON, to be upserted")
            .build();

    static final Relationship REL_FAILURE = new Relationship.Builder()
            .name("failure")
            .description("FlowFiles that could not be logged: " + REFUSED + " says why and what to do; all else is as it came,"
                    + " so that they can be sent here again")
            .build();

    /** The fields of an event that a property gives, by their names in the library; all others are attributes. */
    static final Map<String, PropertyDescriptor> FIELDS;

    static {
        final Map<String, PropertyDescriptor> fields = new LinkedHashMap<>();
        fields.put("src_type", SOURCE_TYPE);
        fields.put("regn", REGION);
        fields.put("db_name", DATABASE_NAME);
        fields.put("table_name", TABLE_NAME);
        fields.put("base_dts", BASE_TIMESTAMP);
        fields.put("outcome", OUTCOME);
        fields.put("file_path", FILE_PATH);
        fields.put("file_name", FILE_NAME);
        fields.put("kafka_topic", KAFKA_TOPIC);
        fields.put("kafka_partition", KAFKA_PARTITION);
        fields.put("kafka_offset", KAFKA_OFFSET);
        fields.put("kafka_category", KAFKA_CATEGORY);
        fields.put("kafka_svc", KAFKA_SERVICE);
        fields.put("record_key", RECORD_KEY);
        FIELDS = Collections.unmodifiableMap(fields);
    }

    private static final List<PropertyDescriptor> DESCRIPTORS = Collections.unmodifiableList(Arrays.asList(
            SOURCE_TYPE, REGION, DATABASE_NAME, TABLE_NAME, BASE_TIMESTAMP, OUTCOME, LINE_CONTENT, LINE_CONTENT_ATTRIBUTE,
            CHARACTER_SET, FILE_PATH, FILE_NAME, KAFKA_TOPIC, KAFKA_PARTITION, KAFKA_OFFSET, KAFKA_CATEGORY, KAFKA_SERVICE,
            RECORD_KEY, ROW_HASH, SETTLE_TIME, BATCH_TIMEOUT, CLOSED_BATCH_RETENTION, LOG_LOADED_ITEMS, BATCH_SIZE));

    private static final Set<Relationship> RELATIONSHIPS = Collections.unmodifiableSet(
            new LinkedHashSet<>(Arrays.asList(REL_SUCCESS, REL_MASTER, REL_DETAIL, REL_FAILURE)));

    private final LongSupplier clock;
    private final IdenticalRows identicalRows = new IdenticalRows();

    private volatile LoadLedger ledger;
    /** For verification alone. */
    private volatile LedgerState stateOfLastStart;

    public EmitLoadLog() {
        this(System::currentTimeMillis);
    }

    /** @param clock gives epoch milliseconds */
    EmitLoadLog(final LongSupplier clock) {
        this.clock = clock;
    }

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
        return Validators.nativeLibrary();
    }

    @Override
    public List<ConfigVerificationResult> verify(final ProcessContext context, final ComponentLog verificationLogger,
                                                 final Map<String, String> attributes) {
        return LoadLogVerification.ofLog(context, Optional.ofNullable(stateOfLastStart), attributes);
    }

    @OnScheduled
    public void makeLedger(final ProcessContext context) {
        stateOfLastStart = new LedgerState(context, getNodeTypeProvider());
        ledger = new LoadLedger(duration(context, SETTLE_TIME), duration(context, BATCH_TIMEOUT),
                duration(context, CLOSED_BATCH_RETENTION), context.getProperty(LOG_LOADED_ITEMS).asBoolean());
    }

    @Override
    public void onTrigger(final ProcessContext context, final ProcessSession session) {
        final List<FlowFile> flowFiles = session.get(context.getProperty(BATCH_SIZE).asInteger());
        if (flowFiles.isEmpty()) {
            // Time passes slowly enough to look at it once a yield.
            context.yield();
        }
        try {
            log(context, session, flowFiles);
        } catch (final LedgerUnavailable e) {
            session.rollback();
            context.yield();
            getLogger().error("{} FlowFiles wait. {}", flowFiles.size(), e.getMessage(), e.getCause());
            if (e.getCause() instanceof IllegalStateException && !flowFiles.isEmpty()) {
                letTimePass(context, session);
            }
        }
    }

    /** A state that is too large for what comes gets smaller only by the batches that end. */
    private void letTimePass(final ProcessContext context, final ProcessSession session) {
        try {
            log(context, session, Collections.emptyList());
        } catch (final LedgerUnavailable e) {
            session.rollback();
            getLogger().debug("No batch ends either. {}", e.getMessage());
        }
    }

    /** The state changes before the session commits: what is rolled back or repeated is counted once all the same. */
    private void log(final ProcessContext context, final ProcessSession session, final List<FlowFile> flowFiles)
            throws LedgerUnavailable {
        final LedgerState state = new LedgerState(context, getNodeTypeProvider());
        final EventReader reader = new EventReader(context, session);
        for (int swaps = 0; swaps < MAX_SWAPS; swaps++) {
            final LedgerState.Snapshot before = state.read();
            final LedgerPass pass = new LedgerPass(ledger, session, flowFiles.isEmpty() ? null : flowFiles.get(0),
                    before.texts(), clock.getAsLong());
            pass.read(flowFiles, reader);
            if (state.swap(before, pass.state())) {
                finish(session, flowFiles, pass, reader);
                session.commitAsync(() -> confirm(state, pass.confirmations()));
                return;
            }
            pass.discard();
        }
        throw new LedgerUnavailable("The load log's state was changed by other nodes " + MAX_SWAPS + " times in a row: the"
                + " FlowFiles stay queued and are tried again. If this lasts, raise Batch Size");
    }

    private void finish(final ProcessSession session, final List<FlowFile> flowFiles, final LedgerPass pass,
                        final EventReader reader) {
        final Map<FlowFile, String> refused = pass.refused();
        long identical = 0;
        pass.transfer(REL_MASTER, REL_DETAIL);
        for (final FlowFile flowFile : flowFiles) {
            final String reason = refused.get(flowFile);
            if (reason == null && reader.isLoaded(flowFile)) {
                identical += identicalRows.in(flowFile, reader);
            }
            if (reason != null) {
                session.transfer(session.putAttribute(flowFile, REFUSED, reason), REL_FAILURE);
            } else if (flowFile.getAttribute(REFUSED) != null) {
                session.transfer(session.removeAttribute(flowFile, REFUSED), REL_SUCCESS);
            } else {
                session.transfer(flowFile, REL_SUCCESS);
            }
        }
        count(session, EVENTS_COUNTED, pass.events());
        count(session, MASTER_RECORDS_COUNTED, pass.masterRecords());
        count(session, DETAIL_RECORDS_COUNTED, pass.detailRecords());
        count(session, IDENTICAL_ROWS_COUNTED, identical);
        count(session, REFUSED_COUNTED, refused.size());
        if (!pass.dropped().isEmpty()) {
            getLogger().warn("{} ended batches have left the log's state to make room, the first is {}. A replay counts on from"
                    + " load_log_master; what else comes for them is refused", pass.dropped().size(),
                    pass.dropped().get(0));
        }
        if (!refused.isEmpty()) {
            final Map.Entry<FlowFile, String> first = refused.entrySet().iterator().next();
            getLogger().warn("{} of {} FlowFiles are not logged and go to failure, one is {}. {}",
                    refused.size(), flowFiles.size(), first.getKey(), first.getValue());
        }
    }

    /** What is not confirmed is only written once more, so this may fail. */
    private void confirm(final LedgerState state, final List<String> confirmations) {
        try {
            for (int swaps = 0; swaps < MAX_SWAPS && !confirmations.isEmpty(); swaps++) {
                final LedgerState.Snapshot before = state.read();
                List<String> texts = before.texts();
                for (final String confirmation : confirmations) {
                    texts = ledger.confirm(texts, confirmation, clock.getAsLong());
                }
                if (state.swap(before, texts)) {
                    return;
                }
            }
        } catch (final LedgerUnavailable | IllegalStateException | RowHashException e) {
            getLogger().warn("The records have left, but the state does not know: they are written once more. {}",
                    e.getMessage());
        }
    }

    private static void count(final ProcessSession session, final String counter, final long number) {
        if (number > 0) {
            session.adjustCounter(counter, number, false);
        }
    }

    private static Duration duration(final ProcessContext context, final PropertyDescriptor property) {
        return Duration.ofMillis(context.getProperty(property).asTimePeriod(TimeUnit.MILLISECONDS));
    }

    private static PropertyDescriptor key(final String name, final String column, final String description) {
        return field(name, "${" + column + "}", description).required(true).build();
    }

    private static PropertyDescriptor.Builder field(final String name, final String expression, final String description) {
        return new PropertyDescriptor.Builder()
                .name(name)
                .description(description)
                .defaultValue(expression)
                .addValidator(Validator.VALID) // it can only be judged with a FlowFile's attributes
                .expressionLanguageSupported(ExpressionLanguageScope.FLOWFILE_ATTRIBUTES);
    }

    private static PropertyDescriptor time(final String name, final String defaultValue, final String description) {
        return new PropertyDescriptor.Builder()
                .name(name)
                .description(description)
                .required(true)
                .defaultValue(defaultValue)
                .addValidator(Validators.timePeriod())
                .expressionLanguageSupported(ExpressionLanguageScope.NONE)
                .build();
    }
}
