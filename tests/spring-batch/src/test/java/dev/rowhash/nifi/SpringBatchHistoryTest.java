package dev.rowhash.nifi;

import static dev.rowhash.nifi.Export.JOB;
import static dev.rowhash.nifi.Export.KEY;
import static dev.rowhash.nifi.Export.master;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowhash.nifi.SpringBatch.Execution;
import dev.rowhash.nifi.SpringBatch.Step;
import dev.rowhash.nifi.jni.SpringBatchKeys;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.apache.nifi.components.ConfigVerificationResult;
import org.apache.nifi.util.MockFlowFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** What is written is what Spring Batch itself reads, and what its launcher obeys. */
class SpringBatchHistoryTest {

    private static final LocalDateTime START = LocalDateTime.parse("2026-02-25T14:30:00");

    private static final Set<SpringBatchDialect> WITHOUT_SEQUENCES = EnumSet.of(SpringBatchDialect.MYSQL,
            SpringBatchDialect.HSQLDB, SpringBatchDialect.DERBY, SpringBatchDialect.SQLITE, SpringBatchDialect.SYBASE);

    @TempDir
    private Path folder;

    private DataSource database;
    private SpringBatch spring;
    private Export export;

    private void open(final Database kind) throws Exception {
        database = kind.open(folder);
        kind.createTables(database);
        spring = new RealSpringBatch(database, "BATCH_");
        export = new Export(database, spring.version());
    }

    @ParameterizedTest
    @EnumSource
    void oneBatchIsReadBackAndNotRunAgain(final Database kind) throws Exception {
        open(kind);
        export.write(1, master("RUNNING", 1, 0, 0, 1));
        assertThat(spring.launch(JOB, KEY)).isEqualTo("JobExecutionAlreadyRunningException");
        export.write(1, master("SUCCESS", 10, 10, 0, 9));
        export.write(1, master("SUCCESS", 10, 10, 0, 9));

        final Execution execution = only();
        assertThat(execution.status()).isEqualTo("COMPLETED");
        assertThat(execution.version()).isEqualTo(1);
        assertThat(execution.created()).isEqualTo(START);
        assertThat(execution.started()).isEqualTo(START);
        assertThat(execution.ended()).isEqualTo("2026-02-25T14:30:08.500");
        assertThat(execution.updated()).isEqualTo("2026-02-25T14:30:09");
        assertThat(execution.parameters()).hasSize(6).containsEntry("regn", "R01 String true")
                .containsEntry("loadlog.attempt", "1 Long false");
        assertThat(execution.step()).isEqualTo(new Step("load", "COMPLETED", "COMPLETED", "", START,
                LocalDateTime.parse("2026-02-25T14:30:08.500"), 10, 10, 0, 0, 0));
        assertThat(spring.launch(JOB, KEY)).isEqualTo("JobInstanceAlreadyCompleteException");
    }

    @ParameterizedTest
    @EnumSource
    void aPartialBatchRunsAgainAsSecondExecutionOfItsInstance(final Database kind) throws Exception {
        open(kind);
        export.write(1, master("PARTIAL", 10, 7, 3, 9));

        final Execution execution = only();
        assertThat(execution.status()).isEqualTo("FAILED");
        assertThat(execution.exitCode()).isEqualTo("COMPLETED WITH SKIPS");
        assertThat(execution.exitMessage()).isEqualTo("3 of 10 rows failed: load_log_detail says why");
        assertThat(execution.step().status()).isEqualTo("FAILED");
        assertThat(execution.step().writeSkips()).isEqualTo(3);
        assertThat(spring.launch(JOB, KEY)).isEqualTo("COMPLETED");
        assertThat(spring.executions(JOB, KEY)).extracting(Execution::status).containsExactly("COMPLETED", "FAILED");
        assertThat(count("BATCH_JOB_INSTANCE")).isEqualTo(1);
        assertThat(spring.launch(JOB, KEY)).isEqualTo("JobInstanceAlreadyCompleteException");
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL"})
    void eachAttemptIsAnExecution(final Database kind) throws Exception {
        open(kind);
        export.write(1, master("RUNNING", 1, 0, 0, 1)).write(1, master("PARTIAL", 10, 7, 3, 9));
        export.write(2, master("RUNNING", 10, 8, 2, 20));
        assertThat(spring.launch(JOB, KEY)).isEqualTo("JobExecutionAlreadyRunningException");
        export.write(2, master("SUCCESS", 10, 10, 0, 30));

        assertThat(spring.executions(JOB, KEY)).extracting(Execution::status).containsExactly("COMPLETED", "FAILED");
        assertThat(spring.executions(JOB, KEY)).extracting(execution -> execution.parameters().get("loadlog.attempt"))
                .containsExactly("2 Long false", "1 Long false");
        assertThat(spring.launch(JOB, KEY)).isEqualTo("JobInstanceAlreadyCompleteException");
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL"})
    void whatComesLateChangesNothing(final Database kind) throws Exception {
        open(kind);
        export.write(3, master("PARTIAL", 10, 7, 3, 9));
        final List<Execution> before = spring.executions(JOB, KEY);
        export.write(3, master("RUNNING", 1, 0, 0, 1));
        export.write(3, master("SUCCESS", 10, 10, 0, 8));
        export.write(2, master("FAIL", 10, 0, 10, 20));
        assertThat(spring.executions(JOB, KEY)).isEqualTo(before);
        assertThat(export.runner.getCounterValue("Records Without News")).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL"})
    void anAttemptThatNeverEndedEndsWithTheNextOne(final Database kind) throws Exception {
        open(kind);
        export.write(1, master("RUNNING", 1, 0, 0, 1)).write(2, master("PARTIAL", 10, 7, 3, 9));
        export.write(1, master("RUNNING", 1, 0, 0, 10));

        final Execution first = spring.executions(JOB, KEY).get(1);
        assertThat(first.status()).isEqualTo("FAILED");
        assertThat(first.exitMessage()).isEqualTo("went on as attempt 2");
        assertThat(first.ended()).isEqualTo("2026-02-25T14:30:09");
        assertThat(spring.launch(JOB, KEY)).isEqualTo("COMPLETED");
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL"})
    void aLateUnitOpensAnExecutionAgain(final Database kind) throws Exception {
        open(kind);
        export.write(1, master("SUCCESS", 5, 5, 0, 5), master("RUNNING", 6, 5, 0, 6));
        assertThat(only().status()).isEqualTo("STARTED");
        assertThat(only().ended()).isNull();
        assertThat(only().exitCode()).isEqualTo("UNKNOWN");
        export.write(1, master("FAIL", 6, 0, 6, 6));
        assertThat(only().status()).as("of one millisecond, but final").isEqualTo("FAILED");
        assertThat(only().exitCode()).isEqualTo("FAILED");
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL"})
    void errorsThatAreAcceptedCompleteTheBatch(final Database kind) throws Exception {
        open(kind);
        export.runner.setProperty("Partial Batches", "COMPLETED");
        export.write(1, master("PARTIAL", 10, 7, 3, 9));
        assertThat(only().status()).isEqualTo("COMPLETED");
        assertThat(only().exitCode()).isEqualTo("COMPLETED WITH SKIPS");
        assertThat(spring.launch(JOB, KEY)).isEqualTo("JobInstanceAlreadyCompleteException");
    }

    @ParameterizedTest
    @EnumSource
    void sixThreadsWriteABatchAsOneDoes(final Database kind) throws Exception {
        open(kind);
        final int threads = 6;
        final ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            final List<Callable<Export>> writers = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                writers.add(() -> new Export(database, spring.version()).write(1, master("RUNNING", 1, 0, 0, 1),
                        master("PARTIAL", 10, 7, 3, 9)).write(2, master("SUCCESS", 10, 10, 0, 30)));
            }
            for (final Future<Export> writer : pool.invokeAll(writers)) {
                writer.get();
            }
        } finally {
            pool.shutdown();
        }
        assertThat(spring.executions(JOB, KEY)).extracting(Execution::status).containsExactly("COMPLETED", "FAILED");
        assertThat(spring.executions(JOB, KEY)).extracting(Execution::version).containsExactly(0, 1);
        assertThat(count("BATCH_JOB_INSTANCE")).isEqualTo(1);
        assertThat(count("BATCH_JOB_EXECUTION_PARAMS")).isEqualTo(12);
        assertThat(count("BATCH_STEP_EXECUTION")).isEqualTo(2);
    }

    @Test
    void aMariadbWithTheTablesOfMysqlIsWrittenToo() throws Exception {
        database = Database.MARIADB.open(folder);
        Database.MYSQL.createTables(database);
        spring = new RealSpringBatch(database, "BATCH_");
        export = new Export(database, spring.version());
        export.write(1, master("PARTIAL", 10, 7, 3, 9)).write(2, master("SUCCESS", 10, 10, 0, 30));
        assertThat(spring.executions(JOB, KEY)).extracting(Execution::status).containsExactly("COMPLETED", "FAILED");
        assertThat(spring.launch(JOB, KEY)).isEqualTo("JobInstanceAlreadyCompleteException");
    }

    @Test
    void aPooledConnectionIsGivenBackAsItCame() throws Exception {
        open(Database.MARIADB);
        try (Connection connection = database.getConnection()) {
            export = new Export(new SingleConnectionDataSource(connection, true), spring.version());
            export.write(1, master("SUCCESS", 10, 10, 0, 9));
            assertThat(export.verify()).hasSize(3);
            assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
            assertThat(connection.getAutoCommit()).isTrue();
        }
    }

    @Test
    void theKeyIsThatOfSpringBatch() throws Exception {
        final Map<String, String> korean = new HashMap<>(KEY);
        korean.put("table_name", "콜센터_상담이력");
        open(Database.H2);
        for (final Map<String, String> parameters : List.of(KEY, korean, Map.<String, String>of(), Map.of("a", "x=y;{}😀"))) {
            assertThat(SpringBatchKeys.jobKey(spring.version(), parameters)).isEqualTo(spring.jobKey(parameters));
        }
    }

    @ParameterizedTest
    @EnumSource
    void aSchemaThatIsNotThereIsNamed(final Database kind) throws Exception {
        database = kind.open(folder);
        export = new Export(database, "5");
        final MockFlowFile refused = export.run(1, master("SUCCESS", 1, 1, 0, 1));
        assertThat(refused.getAttribute("error_message")).contains("BATCH_JOB_INSTANCE", kind.script(), "5.x");
        assertThat(refused.getAttribute("error_processor")).isEqualTo(export.runner.getProcessContext().getName());
        assertThat(export.verify().get(2).getExplanation()).contains(kind.script());
    }

    @ParameterizedTest
    @EnumSource
    void verifyFindsTheTablesAndLeavesThemEmpty(final Database kind) throws Exception {
        open(kind);
        assertThat(export.verify()).extracting(ConfigVerificationResult::getOutcome)
                .containsOnly(ConfigVerificationResult.Outcome.SUCCESSFUL);
        assertThat(count("BATCH_JOB_INSTANCE")).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void theSchemaOfTheOtherVersionIsNamed(final Database kind) throws Exception {
        open(kind);
        final String other = spring.version().equals("5") ? "6" : "5";
        final String cure = "choose Spring Batch Version " + spring.version();
        final Export wrong = new Export(database, other);
        assertThat(wrong.run(1, master("SUCCESS", 1, 1, 0, 1)).getAttribute("error_message")).contains(cure);
        assertThat(wrong.verify().get(2).getExplanation()).contains(cure);
    }

    /** Of the databases that are not run, too. */
    @ParameterizedTest
    @EnumSource
    void theShippedScriptMakesWhatIdsAreTakenFrom(final SpringBatchDialect dialect) throws Exception {
        open(Database.H2);
        final String script = new ClassPathResource(dialect.script()).getContentAsString(StandardCharsets.UTF_8);
        final String kind = WITHOUT_SEQUENCES.contains(dialect) ? "TABLE" : "SEQUENCE";
        final String instances = new SpringBatchTables.Settings(spring.version(), "BATCH_", "load", ZoneOffset.UTC).instanceSequence();
        for (final String sequence : List.of(instances, "BATCH_JOB_EXECUTION_SEQ", "BATCH_STEP_EXECUTION_SEQ")) {
            assertThat(script).containsPattern("CREATE " + kind + " " + sequence + "\\b");
        }
    }

    @Test
    void theTimeZoneIsThatOfTheProperty() throws Exception {
        open(Database.H2);
        export.runner.setProperty("Time Zone", "Asia/Seoul");
        export.runner.setProperty("Step Name", "적재");
        export.write(1, master("SUCCESS", 1, 1, 0, 1));
        assertThat(only().started()).isEqualTo(START.plusHours(9));
        assertThat(only().step().name()).isEqualTo("적재");
    }

    @Test
    void aBadRecordFailsAndTheOthersAreWritten() throws Exception {
        open(Database.H2);
        final MockFlowFile refused = export.run(1, "{\"src_type\":\"NAS\"}", master("SUCCESS", 1, 1, 0, 1));
        assertThat(refused.getAttribute("error_message")).isEqualTo(
                "Record 1: regn is empty or absent: it must come as load_log_master has it");
        assertThat(only().status()).isEqualTo("COMPLETED");
    }

    @Test
    void aDatabaseThatCannotBeReachedKeepsTheFlowFile() {
        final Export lost = new Export(new DriverManagerDataSource("jdbc:postgresql://127.0.0.1:1/none?connectTimeout=1"), "5");
        lost.runner.enqueue(master("SUCCESS", 1, 1, 0, 1));
        lost.runner.run();
        lost.runner.assertTransferCount("success", 0);
        lost.runner.assertTransferCount("failure", 0);
        lost.runner.assertQueueNotEmpty();
    }

    private Execution only() {
        final List<Execution> executions = spring.executions(JOB, KEY);
        assertThat(executions).hasSize(1);
        return executions.get(0);
    }

    private long count(final String table) {
        return new JdbcTemplate(database).queryForObject("SELECT COUNT(*) FROM " + table, Long.class);
    }
}
