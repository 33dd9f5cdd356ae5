package dev.rowhash.nifi;

import dev.rowhash.nifi.jni.RowHashException;
import java.io.IOException;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.nifi.annotation.behavior.InputRequirement;
import org.apache.nifi.annotation.behavior.ReadsAttribute;
import org.apache.nifi.annotation.behavior.ReadsAttributes;
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
import org.apache.nifi.components.Validator;
import org.apache.nifi.dbcp.DBCPService;
import org.apache.nifi.expression.ExpressionLanguageScope;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.logging.ComponentLog;
import org.apache.nifi.processor.AbstractProcessor;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.Relationship;
import org.apache.nifi.processor.VerifiableProcessor;
import org.apache.nifi.processor.exception.ProcessException;
import org.apache.nifi.schema.access.SchemaNotFoundException;
import org.apache.nifi.serialization.MalformedRecordException;
import org.apache.nifi.serialization.RecordReader;
import org.apache.nifi.serialization.RecordReaderFactory;
import org.apache.nifi.serialization.record.Record;

@SupportsBatching
@InputRequirement(InputRequirement.Requirement.INPUT_REQUIRED)
@SeeAlso(EmitLoadLog.class)
@Tags({"spring", "batch", "spring-batch", "load", "log", "history", "job", "metadata", "sql", "load_log"})
@CapabilityDescription("Writes load_log_master records into the metadata tables of Spring Batch, so that teams who watch their"
        + " jobs there see the loads too: a batch is a job instance, each attempt at it one execution with one step. A batch"
        + " that is loaded is refused by Spring Batch's launcher, one with failures may run again. The same record twice, late"
        + " or from many threads changes nothing. It creates no tables; see Additional Details.")
@ReadsAttributes({
        @ReadsAttribute(attribute = "load.attempt", description = "By the default of Attempt: which run of the batch the records"
                + " tell of; EmitLoadLog sets it")
})
@WritesAttributes({
        @WritesAttribute(attribute = "error_message", description = "On failure: what is wrong, and the cure"),
        @WritesAttribute(attribute = "error_processor", description = "On failure: the name of this processor")
})
public class PutSpringBatchMetadata extends AbstractProcessor implements VerifiableProcessor {

    static final String WRITTEN_COUNTED = "Records Written";
    static final String UNCHANGED_COUNTED = "Records Without News";
    static final String REFUSED_COUNTED = "Records Refused";

    static final String FAILED = "FAILED";
    static final String COMPLETED = "COMPLETED";

    private static final int MAX_STEP_NAME = 100;

    static final PropertyDescriptor RECORD_READER = new PropertyDescriptor.Builder()
            .name("Record Reader")
            .description("Reads the records of load_log_master. Upper and lower case of the columns' names do not count.")
            .required(true)
            .identifiesControllerService(RecordReaderFactory.class)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor CONNECTION_POOL = new PropertyDescriptor.Builder()
            .name("Database Connection Pooling Service")
            .description("Connects to the database that holds Spring Batch's metadata tables.")
            .required(true)
            .identifiesControllerService(DBCPService.class)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor VERSION = new PropertyDescriptor.Builder()
            .name("Spring Batch Version")
            .description("The major version of the Spring Batch that reads the tables: the JOB_KEY and a sequence's name depend"
                    + " on it. With a wrong one its launcher would not find the batch, and run a completed load again.")
            .required(true)
            .allowableValues("5", "6")
            .defaultValue("5")
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor TABLE_PREFIX = new PropertyDescriptor.Builder()
            .name("Table Prefix")
            .description("What the names of the tables and sequences begin with, with the schema before it where it is needed,"
                    + " such as ETL.BATCH_.")
            .required(true)
            .defaultValue("BATCH_")
            .addValidator(Validators.pattern("([\\p{L}\\p{N}_$]+\\.)*[\\p{L}\\p{N}_$]*",
                    "it must be letters, digits and _, such as BATCH_ or ETL.BATCH_"))
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor PARTIAL_BATCHES = new PropertyDescriptor.Builder()
            .name("Partial Batches")
            .description("The status of a batch of which some rows failed: FAILED, so that it may run again, or COMPLETED where"
                    + " such errors are accepted. The exit code is COMPLETED WITH SKIPS in both.")
            .required(true)
            .allowableValues(FAILED, COMPLETED)
            .defaultValue(FAILED)
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor ATTEMPT = new PropertyDescriptor.Builder()
            .name("Attempt")
            .description("Which run of their batch the records tell of, from 1: each is an execution of its own. Empty is 1.")
            .required(false)
            .defaultValue("${load.attempt}")
            .addValidator(Validator.VALID) // it can only be judged with a FlowFile's attributes
            .expressionLanguageSupported(ExpressionLanguageScope.FLOWFILE_ATTRIBUTES)
            .build();

    static final PropertyDescriptor STEP_NAME = new PropertyDescriptor.Builder()
            .name("Step Name")
            .description("The name of the one step that each execution has.")
            .required(true)
            .defaultValue("load")
            .addValidator(Validators.pattern("(?s).{1," + MAX_STEP_NAME + "}", "it must have 1 to 100 characters"))
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final PropertyDescriptor TIME_ZONE = new PropertyDescriptor.Builder()
            .name("Time Zone")
            .description("The zone of the times in the tables, whose columns have none: that of the Spring Batch that reads them,"
                    + " such as UTC or Asia/Seoul. Never change it for a schema in use.")
            .required(true)
            .defaultValue("UTC")
            .addValidator(Validators.timeZone())
            .expressionLanguageSupported(ExpressionLanguageScope.NONE)
            .build();

    static final Relationship REL_SUCCESS = new Relationship.Builder()
            .name("success")
            .description("FlowFiles all of whose records are in the tables, unchanged")
            .build();

    static final Relationship REL_FAILURE = new Relationship.Builder()
            .name("failure")
            .description("FlowFiles with a record that cannot be written: error_message says why. The other records are written,"
                    + " and do no harm when they come again. While the database cannot be reached, FlowFiles stay queued")
            .build();

    private static final List<PropertyDescriptor> DESCRIPTORS = Collections.unmodifiableList(Arrays.asList(RECORD_READER,
            CONNECTION_POOL, VERSION, TABLE_PREFIX, PARTIAL_BATCHES, ATTEMPT, STEP_NAME, TIME_ZONE));

    private static final Set<Relationship> RELATIONSHIPS = Collections.unmodifiableSet(
            new LinkedHashSet<>(Arrays.asList(REL_SUCCESS, REL_FAILURE)));

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
        return SpringBatchVerification.run(context, attributes);
    }

    @Override
    public void onTrigger(final ProcessContext context, final ProcessSession session) {
        final FlowFile flowFile = session.get();
        if (flowFile == null) {
            return;
        }
        final DBCPService pool = context.getProperty(CONNECTION_POOL).asControllerService(DBCPService.class);
        final Outcome outcome = new Outcome();
        try {
            final int attempt = attempt(context, flowFile.getAttributes());
            try (Connection connection = connect(pool, flowFile);
                 SpringBatchTables tables = new SpringBatchTables(connection, settings(context))) {
                write(context, session, flowFile, attempt, tables, outcome);
                session.getProvenanceReporter().send(flowFile, uri(connection));
            }
        } catch (final SQLException e) {
            if (SqlTroubles.isPassing(e)) {
                waitForDatabase(context, session, e);
                return;
            }
            outcome.refuse("The database refuses the records: " + e.getMessage());
        } catch (final IOException | MalformedRecordException | SchemaNotFoundException e) {
            outcome.refuse("The records cannot be read: " + e.getMessage() + ". Correct the Record Reader");
        } catch (final IllegalArgumentException | RowHashException e) {
            outcome.refuse(e.getMessage());
        }
        finish(context, session, flowFile, outcome);
    }

    private void write(final ProcessContext context, final ProcessSession session, final FlowFile flowFile,
                       final int attempt, final SpringBatchTables tables, final Outcome outcome)
            throws IOException, MalformedRecordException, SchemaNotFoundException, SQLException {
        final RecordReaderFactory readers = context.getProperty(RECORD_READER)
                .asControllerService(RecordReaderFactory.class);
        final boolean errorsAccepted = context.getProperty(PARTIAL_BATCHES).getValue().equals(COMPLETED);
        final RepositoryInput in = new RepositoryInput(session.read(flowFile));
        try (InputStream content = in;
             RecordReader reader = readers.createRecordReader(flowFile, content, getLogger())) {
            int line = 0;
            for (Record row = ReplayLoadLog.next(reader); row != null; row = ReplayLoadLog.next(reader)) {
                line++;
                try {
                    outcome.count(tables.write(new MasterRecord(ReplayRecord.of(row), attempt, errorsAccepted)));
                } catch (final IllegalArgumentException e) {
                    outcome.refuse("Record " + line + ": " + e.getMessage());
                } catch (final SQLException e) {
                    final String problem = SqlTroubles.isPassing(e) ? null : tables.problem();
                    if (problem == null) {
                        throw e;
                    }
                    throw new IllegalArgumentException(problem, e);
                }
            }
        } catch (final IOException | MalformedRecordException | SchemaNotFoundException e) {
            in.rethrow();
            throw e;
        }
    }

    /** A pool that gives no connection may give one later. */
    private static Connection connect(final DBCPService pool, final FlowFile flowFile) throws SQLException {
        try {
            return pool.getConnection(flowFile.getAttributes());
        } catch (final ProcessException e) {
            throw new SQLTransientConnectionException(e.getMessage(), e);
        }
    }

    private void finish(final ProcessContext context, final ProcessSession session, final FlowFile flowFile,
                        final Outcome outcome) {
        session.adjustCounter(WRITTEN_COUNTED, outcome.written, false);
        session.adjustCounter(UNCHANGED_COUNTED, outcome.unchanged, false);
        session.adjustCounter(REFUSED_COUNTED, outcome.refused, false);
        if (outcome.firstRefusal == null) {
            session.transfer(flowFile, REL_SUCCESS);
            return;
        }
        getLogger().error("{} goes to failure. {}", flowFile, outcome.firstRefusal);
        final Map<String, String> error = new HashMap<>();
        error.put(ComputeRowHash.ERROR_MESSAGE, outcome.firstRefusal);
        error.put(ComputeRowHash.ERROR_PROCESSOR, context.getName());
        session.transfer(session.putAllAttributes(flowFile, error), REL_FAILURE);
    }

    private void waitForDatabase(final ProcessContext context, final ProcessSession session, final Exception reason) {
        session.rollback();
        context.yield();
        getLogger().error("The database cannot be used now, the FlowFiles stay queued and are tried again: {}",
                reason.getMessage(), reason);
    }

    static SpringBatchTables.Settings settings(final ProcessContext context) {
        return new SpringBatchTables.Settings(context.getProperty(VERSION).getValue(),
                context.getProperty(TABLE_PREFIX).getValue(), context.getProperty(STEP_NAME).getValue(),
                ZoneId.of(context.getProperty(TIME_ZONE).getValue()));
    }

    /** @throws IllegalArgumentException if it is no number */
    static int attempt(final ProcessContext context, final Map<String, String> attributes) {
        final String attempt = context.getProperty(ATTEMPT).evaluateAttributeExpressions(attributes).getValue();
        if (attempt == null || attempt.isEmpty()) {
            return 1;
        }
        if (!attempt.matches("[1-9]\\d{0,8}")) {
            throw new IllegalArgumentException("Attempt is '" + attempt + "': it must be a whole number from 1, as EmitLoadLog"
                    + " sets load.attempt");
        }
        return Integer.parseInt(attempt);
    }

    /** Without what follows the database's name, which may hold a password. */
    private static String uri(final Connection connection) throws SQLException {
        return String.valueOf(connection.getMetaData().getURL()).replaceFirst("[?;].*", "");
    }

    /** What became of a FlowFile's records. */
    private static final class Outcome {
        private int written;
        private int unchanged;
        private int refused;
        private String firstRefusal;

        private void count(final SpringBatchTables.Result result) {
            if (result == SpringBatchTables.Result.WRITTEN) {
                written++;
            } else {
                unchanged++;
            }
        }

        private void refuse(final String reason) {
            refused++;
            firstRefusal = firstRefusal == null ? reason : firstRefusal;
        }
    }
}
