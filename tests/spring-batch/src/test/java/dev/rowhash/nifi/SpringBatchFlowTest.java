package dev.rowhash.nifi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowhash.nifi.SpringBatch.Execution;
import dev.rowhash.runtime.Await;
import dev.rowhash.runtime.Component;
import dev.rowhash.runtime.FlowProcessor;
import dev.rowhash.runtime.KuduServer;
import dev.rowhash.runtime.LoadLogFlow;
import dev.rowhash.runtime.LoadLogTables;
import dev.rowhash.runtime.NasCall;
import dev.rowhash.runtime.NasCallTable;
import dev.rowhash.runtime.NifiServer;
import dev.rowhash.runtime.NifiVersion;
import dev.rowhash.runtime.PostgresServer;
import dev.rowhash.runtime.Project;
import dev.rowhash.runtime.SampleLog;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.sqlite.JDBC;

/**
 * The flow definitions nas-to-kudu-spring-batch as users import them, with a real Kudu and a real PostgreSQL: the one of
 * PutKudu on NiFi 1.18.0 with Spring Batch 5, the one of UpsertKudu on NiFi 2.3.0 with Spring Batch 6.
 */
class SpringBatchFlowTest {

    private static final Duration DEADLINE = Duration.ofSeconds(180);
    private static final String PREFIX = "BATCH_";

    private static PostgresServer postgres;
    private static DataSource database;
    private static SpringBatch spring;
    private static KuduServer kudu;
    private static NifiServer nifi;

    private LoadLogFlow flow;

    @BeforeAll
    static void startServers() throws Exception {
        postgres = PostgresServer.start();
        database = new DriverManagerDataSource(postgres.jdbcUrl("postgres"), PostgresServer.USER, "");
        Database.POSTGRESQL.createTables(database);
        spring = new RealSpringBatch(database, PREFIX);
        kudu = KuduServer.start();
        final NifiVersion version = spring.version().equals("5") ? NifiVersion.V1_18_0 : NifiVersion.V2_3_0;
        final NifiServer.Builder builder = NifiServer.of(version).extension(Project.nar())
                .jvmArguments("-Duser.timezone=Asia/Seoul");
        nifi = (version.hasPutKudu() ? builder : builder.extension(Project.kuduNar())).start();
    }

    @AfterAll
    static void stopServers() {
        if (nifi != null) {
            nifi.close();
        }
        if (kudu != null) {
            kudu.close();
        }
        if (postgres != null) {
            postgres.close();
        }
    }

    @AfterEach
    void stopFlow() {
        if (flow != null) {
            flow.stop();
        }
    }

    @Test
    void whatIsLoadedAndWhatRunsAgainIsInKuduAndInSpringBatch() {
        final NasCallTable table = NasCallTable.create(kudu);
        upload("spring-batch");
        final FlowProcessor history = flow.processor("Write Spring Batch's history");
        assertThat(history.validationErrors()).singleElement().asString()
                .contains("Database Connection Pooling Service is required");
        history.configure(Map.of("Database Connection Pooling Service", flow.enable(postgres.pool("postgres"))));
        assertThat(history.verify(Map.of())).allSatisfy(step ->
                assertThat(step.outcome()).as(step.explanation()).isEqualTo("SUCCESSFUL"));
        flow.start();

        final List<NasCall> calls = SampleLog.calls(31, 10);
        final List<String> lines = new ArrayList<>(calls.stream().map(NasCall::line).toList());
        lines.set(1, lines.get(1) + "\ta column more");
        lines.set(6, lines.get(6) + "\ta column more");
        final Map<String, Object> partial = flow.load("calls.log", lines);
        assertThat(partial).containsEntry("status", "PARTIAL");
        final Map<String, String> key = key(partial);
        awaitStatuses(spring, key, "FAILED");

        final Execution first = spring.executions(Export.JOB, key).get(0);
        assertThat(first.exitCode()).isEqualTo("COMPLETED WITH SKIPS");
        assertThat(first.exitMessage()).isEqualTo("2 of 10 rows failed: load_log_detail says why");
        assertThat(first.step().read()).isEqualTo(10);
        assertThat(first.step().written()).isEqualTo(8);
        assertThat(first.step().writeSkips()).isEqualTo(2);
        assertThat(first.started()).isEqualTo(utc(partial.get("start_ts")));
        assertThat(first.ended()).isEqualTo(utc(partial.get("end_ts")));
        assertThat(first.parameters()).containsEntry("loadlog.attempt", "1 Long false");

        flow.repairPattern(LoadLogFlow.pattern(NasCall.COLUMNS.size(), "(?:\\t.*)?"));
        assertThat(flow.replay()).isEqualTo(2);
        awaitStatuses(spring, key, "COMPLETED", "FAILED");

        final Execution second = spring.executions(Export.JOB, key).get(0);
        assertThat(second.parameters()).containsEntry("loadlog.attempt", "2 Long false");
        assertThat(second.step().written()).isEqualTo(10);
        assertThat(second.ended()).isEqualTo(utc(flow.master(key.get("base_dts")).get("end_ts")));
        assertThat(spring.executions(Export.JOB, key).get(1)).as("the first attempt").isEqualTo(first);
        assertThat(new JdbcTemplate(database).queryForObject("SELECT COUNT(*) FROM BATCH_JOB_INSTANCE", Long.class)).isEqualTo(1);
        assertThat(spring.launch(Export.JOB, key)).isEqualTo("JobInstanceAlreadyCompleteException");
        assertThat(flow.masters()).singleElement().satisfies(master -> assertThat(master).containsEntry("status", "SUCCESS"));
        assertThat(flow.queue("not in Spring Batch").size()).isZero();
        assertThat(table.count()).isEqualTo(10);

        postgres.kill();
        flow.drop("meanwhile.log", SampleLog.calls(32, 3).stream().map(NasCall::line).toList());
        Await.until("the other batch to be loaded without a history", DEADLINE, () -> flow.masters().size() == 2
                && flow.masters().get(1).get("status").equals("SUCCESS")
                && history.bulletins().stream().anyMatch(bulletin -> bulletin.contains("FlowFiles stay queued")),
                () -> flow.masters() + " " + history.bulletins());
        postgres.restart();
        awaitStatuses(spring, key(flow.masters().get(1)), "COMPLETED");
        assertThat(flow.queue("not in Spring Batch").size()).isZero();
    }

    /** What a user without a database for it has. */
    @Test
    void aFileOfSqliteTakesTheHistory(@TempDir final Path folder) throws Exception {
        NasCallTable.create(kudu);
        final DriverManagerDataSource file = (DriverManagerDataSource) Database.SQLITE.open(folder);
        Database.SQLITE.createTables(file);
        upload("sqlite");
        flow.processor("Write Spring Batch's history").configure(Map.of("Database Connection Pooling Service",
                flow.enable(Component.pool(file.getUrl(), JDBC.class))));
        flow.start();
        final Map<String, String> key = key(flow.load("calls.log", SampleLog.calls(33, 3).stream().map(NasCall::line).toList()));

        final SpringBatch reader = new RealSpringBatch(file, PREFIX);
        awaitStatuses(reader, key, "COMPLETED");
        assertThat(reader.launch(Export.JOB, key)).isEqualTo("JobInstanceAlreadyCompleteException");
    }

    private void upload(final String name) {
        flow = LoadLogFlow.uploadWithSpringBatch(nifi, kudu, LoadLogTables.create(kudu), name,
                Map.of("spring.batch.version", spring.version(), "spring.batch.table.prefix", PREFIX));
    }

    private static Map<String, String> key(final Map<String, Object> master) {
        return Export.KEY.keySet().stream().collect(Collectors.toMap(column -> column, column -> (String) master.get(column)));
    }

    private static void awaitStatuses(final SpringBatch reader, final Map<String, String> key, final String... statuses) {
        Await.until("executions that are " + String.join(", ", statuses), DEADLINE,
                () -> reader.executions(Export.JOB, key).stream().map(Execution::status).toList().equals(List.of(statuses)),
                () -> reader.executions(Export.JOB, key).toString());
    }

    private static LocalDateTime utc(final Object instant) {
        return LocalDateTime.ofInstant((Instant) instant, ZoneOffset.UTC);
    }
}
