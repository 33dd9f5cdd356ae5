package dev.rowhash.nifi;

import dev.rowhash.nifi.jni.ReplayDecision;
import dev.rowhash.nifi.jni.ReplayDecisions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.nifi.annotation.behavior.InputRequirement;
import org.apache.nifi.annotation.behavior.SideEffectFree;
import org.apache.nifi.annotation.behavior.SupportsBatching;
import org.apache.nifi.annotation.behavior.WritesAttribute;
import org.apache.nifi.annotation.behavior.WritesAttributes;
import org.apache.nifi.annotation.documentation.CapabilityDescription;
import org.apache.nifi.annotation.documentation.SeeAlso;
import org.apache.nifi.annotation.documentation.Tags;
import org.apache.nifi.components.ConfigVerificationResult;
import org.apache.nifi.components.PropertyDescriptor;
import org.apache.nifi.components.ValidationContext;
import org.apache.nifi.components.ValidationResult;
import org.apache.nifi.expression.ExpressionLanguageScope;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.logging.ComponentLog;
import org.apache.nifi.processor.AbstractProcessor;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.Relationship;
import org.apache.nifi.processor.VerifiableProcessor;
import org.apache.nifi.schema.access.SchemaNotFoundException;
import org.apache.nifi.serialization.MalformedRecordException;
import org.apache.nifi.serialization.RecordReader;
import org.apache.nifi.serialization.RecordReaderFactory;
import org.apache.nifi.serialization.record.Record;

@SupportsBatching
@SideEffectFree
@InputRequirement(InputRequirement.Requirement.INPUT_REQUIRED)
@SeeAlso(EmitLoadLog.class)
@Tags({"load", "log", "replay", "retry", "failure", "reprocess", "load_log", "kudu"})
@CapabilityDescription("Runs failed items again, and only them: takes the records of the re-run query on load_log_detail and"
        + " makes a FlowFile of each, on the relationship that says where it enters the flow again. Its outcome goes to"
        + " EmitLoadLog as any other does, so the item's record becomes SUCCESS or counts one more retry. See Additional"
        + " Details for the query and the wiring.")
@WritesAttributes({
        @WritesAttribute(attribute = "src_type, regn, db_name, table_name, base_dts", description = "The batch"),
        @WritesAttribute(attribute = "load.detail_seq, load.retry_count, load.created_dt", description = "The item's record"),
        @WritesAttribute(attribute = "load.src_count, load.load_count, load.error_count, load.max_detail_seq,"
                + " load.min_detail_seq, load.start_ts", description = "The batch's counts and its start, for EmitLoadLog if the"
                + " batch has left its state"),
        @WritesAttribute(attribute = "load.unit, load.item", description = "On file: the unit and the item that the file is"
                + " read again for"),
        @WritesAttribute(attribute = "absolute.path, filename", description = "The file"),
        @WritesAttribute(attribute = "kafka.topic, kafka.partition, kafka.offset, kafka_category, kafka_svc",
                description = "The message"),
        @WritesAttribute(attribute = "record_key", description = "What finds the row in its database again"),
        @WritesAttribute(attribute = "record.count", description = "On claim: how many records"),
        @WritesAttribute(attribute = "mime.type", description = "On claim: application/x-ndjson"),
        @WritesAttribute(attribute = "error_message", description = "On failure: what is wrong, and the cure"),
        @WritesAttribute(attribute = "error_processor", description = "On failure: the name of this processor")
})
public class ReplayLoadLog extends AbstractProcessor implements VerifiableProcessor {

    static final String ITEMS_REPLAYED = "Items Replayed";
    static final String ITEMS_EXHAUSTED = "Items Exhausted";
    static final String RECORDS_REFUSED = "Records Refused";

    private static final int RECORDS_A_CALL = 1000;
    private static final int MAX_CHARACTERS_A_CALL = 4 * 1024 * 1024;

    static final PropertyDescriptor RECORD_READER = new PropertyDescriptor.Builder()
            .name("Record Reader")
            .description("Reads the result of the re-run query. Upper and lower case of the columns' names do not count.")
            .required(true)
            .identifiesControllerService(RecordReaderFactory.class)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor MAXIMUM_RETRIES = new PropertyDescriptor.Builder()
            .name("Maximum Retries")
            .description("How often an item is run again, at most. An item with as many retries goes to exhausted.")
            .required(true)
            .defaultValue("3")
            .addValidator(Validators.wholeNumberFrom(0))
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor CHARACTER_SET = new PropertyDescriptor.Builder()
            .name("Character Set")
            .description("How the content of an item is encoded again: as EmitLoadLog's property of this name says.")
            .required(true)
            .defaultValue("UTF-8")
            .addValidator(Validators.characterSet())
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final Relationship REL_ROW = new Relationship.Builder()
            .name("row")
            .description("The content is a JSON object: to the sink if it has its row_hash, else to what reads JSON before ComputeRowHash")
            .build();
    static final Relationship REL_LINE = new Relationship.Builder()
            .name("line")
            .description("The content is the raw line: to what parses it, such as ExtractText")
            .build();
    static final Relationship REL_FILE = new Relationship.Builder()
            .name("file")
            .description("No content was kept: to FetchFile, by absolute.path and filename")
            .build();
    static final Relationship REL_MESSAGE = new Relationship.Builder()
            .name("message")
            .description("No content was kept: the message has to be consumed again, by topic, partition and offset")
            .build();
    static final Relationship REL_RECORD = new Relationship.Builder()
            .name("record")
            .description("No content was kept: the row has to be queried again, by record_key")
            .build();
    static final Relationship REL_EXHAUSTED = new Relationship.Builder()
            .name("exhausted")
            .description("The retries are used up: for a person to look at")
            .build();
    static final Relationship REL_CLAIM = new Relationship.Builder()
            .name("claim")
            .description("Records for load_log_detail as NDJSON, to be upserted, that mark the picked items RUNNING and count their retry, so that the"
                    + " next query does not pick them too")
            .build();
    static final Relationship REL_ORIGINAL = new Relationship.Builder()
            .name("original")
            .description("The incoming FlowFile, unchanged, once its records were read")
            .build();
    static final Relationship REL_FAILURE = new Relationship.Builder()
            .name("failure")
            .description("The incoming FlowFile if it cannot be read, and a FlowFile with the columns as attributes for each"
                    + " record that cannot be run again: error_message says why")
            .build();

    private static final List<PropertyDescriptor> DESCRIPTORS = Collections.unmodifiableList(Arrays.asList(
            RECORD_READER, MAXIMUM_RETRIES, CHARACTER_SET));

    private static final Map<String, Relationship> ROUTES = Collections.unmodifiableMap(
            Stream.of(REL_ROW, REL_LINE, REL_FILE, REL_MESSAGE, REL_RECORD, REL_EXHAUSTED)
                    .collect(Collectors.toMap(Relationship::getName, route -> route)));

    private static final Set<Relationship> RELATIONSHIPS = Collections.unmodifiableSet(new LinkedHashSet<>(Arrays.asList(
            REL_ROW, REL_LINE, REL_FILE, REL_MESSAGE, REL_RECORD, REL_EXHAUSTED, REL_CLAIM, REL_ORIGINAL, REL_FAILURE)));

    private final LongSupplier clock;

    public ReplayLoadLog() {
        this(System::currentTimeMillis);
    }

    /** @param clock gives epoch milliseconds */
    ReplayLoadLog(final LongSupplier clock) {
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
        return LoadLogVerification.ofReplay(context);
    }

    @Override
    public void onTrigger(final ProcessContext context, final ProcessSession session) {
        final FlowFile original = session.get();
        if (original == null) {
            return;
        }

        final RecordReaderFactory readers = context.getProperty(RECORD_READER)
                .asControllerService(RecordReaderFactory.class);
        final Items items = new Items(context, session, original);
        final RepositoryInput in = new RepositoryInput(session.read(original));
        try (InputStream content = in;
             RecordReader reader = readers.createRecordReader(original, content, getLogger())) {
            final List<ReplayRecord> chunk = new ArrayList<>();
            int characters = 0;
            for (Record row = next(reader); row != null; row = next(reader)) {
                final ReplayRecord record = ReplayRecord.of(row);
                chunk.add(record);
                characters += record.characters();
                if (chunk.size() == RECORDS_A_CALL || characters >= MAX_CHARACTERS_A_CALL) {
                    items.make(chunk);
                    chunk.clear();
                    characters = 0;
                }
            }
            items.make(chunk);
        } catch (final IOException | MalformedRecordException | SchemaNotFoundException e) {
            in.rethrow();
            items.discard();
            final String message = "The records cannot be read: " + e.getMessage() + ". Correct the Record Reader or the"
                    + " query, and send the FlowFile here again";
            getLogger().error("{} goes to failure. {}", original, message, e);
            session.transfer(session.putAllAttributes(original, error(context, message)), REL_FAILURE);
            return;
        }
        items.transfer();
        session.transfer(original, REL_ORIGINAL);
    }

    /** Some readers report a content that is broken by exceptions that are not declared. */
    static Record next(final RecordReader reader) throws IOException, MalformedRecordException {
        try {
            return reader.nextRecord(false, false);
        } catch (final RuntimeException e) {
            throw new MalformedRecordException(RecordRows.reason(e), e);
        }
    }

    private static Map<String, String> error(final ProcessContext context, final String message) {
        final Map<String, String> error = new HashMap<>();
        error.put(ComputeRowHash.ERROR_MESSAGE, message);
        error.put(ComputeRowHash.ERROR_PROCESSOR, context.getName());
        return error;
    }

    /** The FlowFiles that become of one result of the query. */
    private final class Items {
        private final ProcessContext context;
        private final ProcessSession session;
        private final FlowFile original;
        private final int retries;
        private final Charset charset;
        private final long now = clock.getAsLong();
        private final RecordsFlowFile claims;
        private final Map<FlowFile, Relationship> made = new LinkedHashMap<>();
        private String firstRefusal;

        private Items(final ProcessContext context, final ProcessSession session, final FlowFile original) {
            this.context = context;
            this.session = session;
            this.original = original;
            this.retries = context.getProperty(MAXIMUM_RETRIES).asInteger();
            this.charset = Charset.forName(context.getProperty(CHARACTER_SET).getValue());
            this.claims = new RecordsFlowFile(session, original, "load_log_claim");
        }

        private void make(final List<ReplayRecord> records) {
            final ReplayDecisions decisions = new ReplayDecisions();
            for (final ReplayRecord record : records) {
                decisions.add(record::get);
            }
            final List<ReplayDecision> decided = decisions.decide(retries, now);
            final StringBuilder claimed = new StringBuilder();
            for (int i = 0; i < records.size(); i++) {
                final Relationship route = make(records.get(i), decided.get(i));
                if (route != REL_EXHAUSTED && !records.get(i).problem().isPresent()) {
                    decided.get(i).claim().ifPresent(claim -> claimed.append(claim).append('\n'));
                }
            }
            claims.add(claimed.toString());
        }

        private Relationship make(final ReplayRecord record, final ReplayDecision decision) {
            final String reason = record.problem().orElse(decision.failure().orElse(null));
            FlowFile item = RecordsFlowFile.childOf(session, original);
            if (reason != null) {
                firstRefusal = firstRefusal == null ? reason : firstRefusal;
                item = session.putAllAttributes(item, record.columns());
                item = session.putAllAttributes(item, error(context, reason));
                made.put(item, REL_FAILURE);
                return REL_FAILURE;
            }
            item = session.putAllAttributes(item, record.attributes(decision, item.getAttribute("uuid")));
            final String content = record.get(ReplayRecord.LINE_CONTENT);
            if (content != null) {
                final byte[] bytes = content.getBytes(charset);
                item = session.write(item, out -> out.write(bytes));
            }
            final Relationship route = ROUTES.get(decision.relationship());
            made.put(item, route);
            return route;
        }

        private void transfer() {
            made.forEach(session::transfer);
            claims.transfer(REL_CLAIM);
            final int exhausted = Collections.frequency(made.values(), REL_EXHAUSTED);
            final int refused = Collections.frequency(made.values(), REL_FAILURE);
            count(ITEMS_REPLAYED, made.size() - exhausted - refused);
            count(ITEMS_EXHAUSTED, exhausted);
            count(RECORDS_REFUSED, refused);
            if (refused > 0) {
                getLogger().warn("{} of {} records of {} cannot be run again and go to failure. The first: {}",
                        refused, made.size(), original, firstRefusal);
            }
        }

        private void count(final String counter, final int number) {
            if (number > 0) {
                session.adjustCounter(counter, number, false);
            }
        }

        private void discard() {
            session.remove(made.keySet());
            claims.discard();
        }
    }
}
