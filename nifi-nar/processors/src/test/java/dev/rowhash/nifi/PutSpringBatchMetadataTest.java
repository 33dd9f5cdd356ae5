package dev.rowhash.nifi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowhash.nifi.jni.ForkedJvm;
import dev.rowhash.nifi.jni.NativeLibrary;
import dev.rowhash.nifi.jni.SpringBatchKeys;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.apache.nifi.components.ConfigVerificationResult;
import org.apache.nifi.components.ConfigVerificationResult.Outcome;
import org.apache.nifi.controller.AbstractControllerService;
import org.apache.nifi.dbcp.DBCPService;
import org.apache.nifi.processor.exception.ProcessException;
import org.apache.nifi.reporting.InitializationException;
import org.apache.nifi.util.MockFlowFile;
import org.apache.nifi.util.TestRunner;
import org.apache.nifi.util.TestRunners;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What needs no tables; with Spring Batch's own ones see tests/spring-batch. */
class PutSpringBatchMetadataTest {

    private static final Map<String, String> KEY = Map.of("src_type", "NAS", "regn", "R01", "db_name", "bronze",
            "table_name", "nas_copilot_call", "base_dts", "20260225143000");
    private static final String RECORD = """
            {"src_type":"NAS","regn":"R01","db_name":"bronze","table_name":"calls","base_dts":"20260225143000",\
            "status":"SUCCESS","src_count":1,"load_count":1,"error_count":0,"start_ts":1,"end_ts":2,"updated_dt":3}""";

    private final PutSpringBatchMetadata processor = new PutSpringBatchMetadata();
    private final TestRunner runner = runner(processor, "jdbc:h2:mem:empty");

    @ParameterizedTest
    @CsvSource({
            "4, 31499ede4a0d37df38c6d497e470f289, 225ee16cee606fb1601b3016a3217d9d",
            "5, c68b94acc3518f62a68077d5cbbe17bd, 6da26c6f02e43ee9cf0abbf76196e59c",
            "6, f66bd8339a4247b8b4e2c9c174898fdb, 2b47966b4384bc17ec1e8db2f1701cd1"})
    void theJobKeyIsThatOfEachVersion(final String version, final String key, final String keyOfKorean) {
        final Map<String, String> korean = LoadLogFlow.with(KEY, "table_name", "콜센터_상담이력");
        assertThat(SpringBatchKeys.jobKey(version, KEY)).isEqualTo(key);
        assertThat(SpringBatchKeys.jobKey(version, korean)).isEqualTo(keyOfKorean);
        assertThat(SpringBatchKeys.jobKey(version, Map.of())).isEqualTo("d41d8cd98f00b204e9800998ecf8427e");
    }

    @Test
    void thereIsNoKeyOfAnotherVersion() {
        assertThatThrownBy(() -> SpringBatchKeys.jobKey("7", KEY)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("use 4, 5 or 6");
    }

    @Test
    void aSchemaThatIsNotThereIsNamed() {
        final MockFlowFile refused = refused(RECORD, Map.of());
        assertThat(refused.getAttribute("error_message")).contains("BATCH_JOB_INSTANCE", "schema-h2.sql", "creates nothing");
        refused.assertContentEquals(RECORD);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
            "\"NAS\"; \"\"; src_type is empty or absent",
            "\"SUCCESS\"; \"DONE\"; status is 'DONE': a batch is RUNNING, SUCCESS, PARTIAL or FAIL",
            "\"src_count\":1; \"src_count\":-1; src_count is '-1'",
            "\"updated_dt\":3; \"updated_dt\":\"2026-02-25 14:30:00\"; it must come as epoch milliseconds",
            "\"updated_dt\":3; \"updated_dt\":null; updated_dt is empty or absent"})
    void aRecordThatIsNoMasterSaysWhy(final String part, final String other, final String reason) {
        assertThat(refused(RECORD.replace(part, other), Map.of()).getAttribute("error_message"))
                .startsWith("Record 1: ").contains(reason);
    }

    @Test
    void aContentThatIsBrokenIsRefused() {
        assertThat(refused("no JSON", Map.of()).getAttribute("error_message")).startsWith("The records cannot be read: ");
        runner.clearTransferState();
        // The reader casts it, and says so by an exception that is not declared.
        assertThat(refused("[]", Map.of()).getAttribute("error_message")).startsWith("The records cannot be read: ");
    }

    @Test
    void aNameThatDoesNotFitIsRefused() {
        assertThat(refused(RECORD.replace("calls", "c".repeat(90)), Map.of()).getAttribute("error_message"))
                .contains("has 106 characters, JOB_NAME of Spring Batch takes 100");
    }

    @ParameterizedTest
    @CsvSource({"0", "-1", "one", "1.5"})
    void anAttemptThatIsNoNumberIsRefused(final String attempt) {
        assertThat(refused(RECORD, Map.of("load.attempt", attempt)).getAttribute("error_message"))
                .contains("Attempt is '" + attempt + "'");
    }

    @Test
    void aDatabaseThatIsDownKeepsTheFlowFile() {
        final TestRunner down = runner(new PutSpringBatchMetadata(), "jdbc:h2:tcp://127.0.0.1:1/none");
        down.enqueue(RECORD);
        down.run();
        down.assertTransferCount("success", 0);
        down.assertTransferCount("failure", 0);
        down.assertQueueNotEmpty();
    }

    @ParameterizedTest
    @CsvSource({"Table Prefix,B; DROP", "Time Zone,Mars", "Spring Batch Version,4", "Partial Batches,MAYBE"})
    void aWrongPropertyIsInvalid(final String property, final String value) {
        runner.assertValid();
        runner.setProperty(property, value);
        runner.assertNotValid();
    }

    @Test
    void verifyNamesTheScript() {
        final List<ConfigVerificationResult> steps = processor.verify(runner.getProcessContext(), runner.getLogger(), Map.of());
        assertThat(steps).extracting(ConfigVerificationResult::getOutcome)
                .containsExactly(Outcome.SUCCESSFUL, Outcome.SUCCESSFUL, Outcome.FAILED);
        assertThat(steps.get(2).getExplanation()).contains("schema-h2.sql");
    }

    @Test
    void anotherKeyForTheKnownBatchFails() {
        final ConfigVerificationResult step = SpringBatchVerification.makeKey("5", "f66bd8339a4247b8b4e2c9c174898fdb");
        assertThat(step.getOutcome()).isEqualTo(Outcome.FAILED);
        assertThat(step.getExplanation()).contains("install the NAR again");
    }

    @Test
    void aLibraryThatDoesNotLoadLeavesTheOtherStepsOut() throws Exception {
        final ForkedJvm.Result result = ForkedJvm.run(
                List.of("-D" + NativeLibrary.PATH_PROPERTY + "=/nowhere/librowhash.so"), NoLibraryMain.class);
        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output()).contains("[FAILED, SKIPPED, SKIPPED]");
    }

    static final class NoLibraryMain {
        public static void main(final String[] arguments) {
            final PutSpringBatchMetadata processor = new PutSpringBatchMetadata();
            System.out.println(processor.verify(runner(processor, "jdbc:h2:mem:none").getProcessContext(), null, Map.of())
                    .stream().map(ConfigVerificationResult::getOutcome).toList());
        }
    }

    private MockFlowFile refused(final String record, final Map<String, String> attributes) {
        runner.enqueue(record, attributes);
        runner.run();
        runner.assertAllFlowFilesTransferred("failure", 1);
        return runner.getFlowFilesForRelationship("failure").get(0);
    }

    private static TestRunner runner(final PutSpringBatchMetadata processor, final String url) {
        final TestRunner runner = TestRunners.newTestRunner(processor);
        final JsonLines reader = new JsonLines();
        final Pool pool = new Pool(url);
        try {
            runner.addControllerService("reader", reader);
            runner.addControllerService("pool", pool);
        } catch (final InitializationException e) {
            throw new AssertionError(e);
        }
        runner.enableControllerService(reader);
        runner.enableControllerService(pool);
        runner.setProperty("Record Reader", "reader");
        runner.setProperty("Database Connection Pooling Service", "pool");
        return runner;
    }

    private static final class Pool extends AbstractControllerService implements DBCPService {
        private final String url;

        private Pool(final String url) {
            this.url = url;
        }

        @Override
        public Connection getConnection() {
            try {
                return DriverManager.getConnection(url);
            } catch (final SQLException e) {
                throw new ProcessException(e);
            }
        }
    }
}
