package dev.rowhash.nifi;

import static dev.rowhash.nifi.Export.JOB;
import static dev.rowhash.nifi.Export.KEY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowhash.nifi.SpringBatch.Execution;
import dev.rowhash.nifi.SpringBatch.Step;
import dev.rowhash.nifi.jni.SpringBatchKeys;
import dev.rowhash.runtime.SqlScript;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** The load log in tables of PostgreSQL or H2: the operators' queries, and the views that Spring Batch itself reads. */
class LoadLogTablesTest {

    private static final SqlScript TABLES = SqlScript.read("docs/sql/load_log/postgres.sql");
    private static final SqlScript QUERIES = SqlScript.read("docs/sql/load_log/queries.postgres.sql");
    private static final LocalDateTime START = LocalDateTime.parse("2026-02-25T14:30:00");
    private static final int OVERVIEW = 1;
    private static final int FAILURES = 2;
    private static final int RERUN = 3;

    @TempDir
    private Path folder;

    private JdbcTemplate sql;
    private SpringBatch spring;

    private void open(final Database kind) throws Exception {
        sql = new JdbcTemplate(kind.open(folder));
        spring = new RealSpringBatch(sql.getDataSource(), "BATCH_");
        TABLES.statements().forEach(sql::execute);
        final SqlScript views = SqlScript.read("docs/spring-batch/views." + kind.name().toLowerCase() + ".sql");
        views.statements().forEach(view -> sql.execute(view.replace("SELECT 5 AS", "SELECT " + spring.version() + " AS")));
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL"})
    void springBatchReadsTheLoadLogThroughTheViews(final Database kind) throws Exception {
        open(kind);
        final Map<String, String> korean = new HashMap<>(KEY);
        korean.put("table_name", "콜센터_상담이력");
        final Map<String, String> running = new HashMap<>(KEY);
        running.put("base_dts", "20260226143000");
        master(KEY, "PARTIAL", 10, 7, 3);
        master(korean, "SUCCESS", 5, 5, 0);
        master(running, "RUNNING", 5, 1, 0);
        detail(KEY, 4, "FAIL", 0, "한글 ".repeat(1000));
        detail(KEY, 5, "FAIL", 0, "another one");

        final Execution partial = only(JOB, KEY);
        assertThat(partial.status()).isEqualTo("FAILED");
        assertThat(partial.exitCode()).isEqualTo("COMPLETED WITH SKIPS");
        assertThat(partial.exitMessage()).isEqualTo("한글 ".repeat(1000).substring(0, 2500));
        assertThat(partial.created()).isEqualTo(START);
        assertThat(partial.updated()).isEqualTo(START.plusSeconds(9));
        assertThat(partial.parameters()).hasSize(5).containsEntry("base_dts", KEY.get("base_dts") + " String true");
        assertThat(partial.step()).isEqualTo(new Step("load", "FAILED", "COMPLETED WITH SKIPS", partial.exitMessage(), START,
                START.plusSeconds(8), 10, 7, 0, 0, 3));
        assertThatThrownBy(() -> sql.update("DELETE FROM BATCH_JOB_INSTANCE")).isInstanceOf(DataAccessException.class);
        final String koreanJob = "load.NAS.bronze.콜센터_상담이력";
        assertThat(only(koreanJob, korean).status()).isEqualTo("COMPLETED");
        assertThat(spring.launch(koreanJob, korean)).isEqualTo("JobInstanceAlreadyCompleteException");
        assertThat(only(JOB, running).ended()).isNull();
        assertThat(spring.launch(JOB, running)).isEqualTo("JobExecutionAlreadyRunningException");
        assertThat(sql.queryForList("SELECT JOB_KEY FROM BATCH_JOB_INSTANCE ORDER BY JOB_NAME, JOB_KEY", String.class))
                .containsExactlyInAnyOrder(SpringBatchKeys.jobKey(spring.version(), KEY),
                        SpringBatchKeys.jobKey(spring.version(), korean), SpringBatchKeys.jobKey(spring.version(), running));
    }

    private Execution only(final String job, final Map<String, String> key) {
        final List<Execution> executions = spring.executions(job, key);
        assertThat(executions).hasSize(1);
        return executions.get(0);
    }

    @ParameterizedTest
    @EnumSource(names = "POSTGRESQL")
    void theOperatorsQueriesFindTheDayTheFailuresAndWhatIsToRunAgain(final Database kind) throws Exception {
        open(kind);
        master(KEY, "PARTIAL", 10, 5, 5);
        detail(KEY, 1, "FAIL", 2, "bad");
        detail(KEY, 2, "FAIL", 3, "no retry is left");
        detail(KEY, 3, "SUCCESS", 1, null);
        detail(KEY, 4, "RUNNING", 1, "picked and lost");
        detail(KEY, 5, "RUNNING", 1, "on its way");
        detail(KEY, 6, "RUNNING", 1, null);
        final LocalDateTime now = LocalDateTime.ofInstant(Instant.now(), ZoneOffset.UTC);
        touch(4, now.minusMinutes(16));
        touch(5, now.minusMinutes(14));
        touch(6, now.minusMinutes(16));

        assertThat(ask(OVERVIEW, Map.of("base_dt", "20260225"))).singleElement().satisfies(row -> assertThat(row)
                .containsEntry("status", "PARTIAL").containsEntry("error_count", 5));
        assertThat(ask(FAILURES, KEY)).extracting(row -> row.get("detail_seq")).containsExactly(1, 2, 4, 5);
        assertThat(ask(RERUN, KEY)).extracting(row -> row.get("detail_seq")).containsExactlyInAnyOrder(1, 4);
        assertThat(ask(RERUN, KEY)).allSatisfy(row -> assertThat(row).containsEntry("src_count", 10)
                .containsEntry("max_detail_seq", 6).containsEntry("created_dt", Export.START)
                .containsEntry("start_ts", Export.START));
    }

    /** In a session that is nine hours from UTC. */
    private List<Map<String, Object>> ask(final int query, final Map<String, String> values) {
        return sql.execute((Connection connection) -> {
            final JdbcTemplate session = new JdbcTemplate(new SingleConnectionDataSource(connection, true));
            session.execute("SET TIME ZONE 'Asia/Seoul'");
            return session.queryForList(QUERIES.statement(query, values));
        });
    }

    private void master(final Map<String, String> key, final String status, final int read, final int loaded, final int failed) {
        sql.update("INSERT INTO load_log_master VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", key.get("src_type"),
                key.get("regn"), key.get("db_name"), key.get("table_name"), key.get("base_dts"), "20260225", status, read, loaded,
                failed, START, status.equals("RUNNING") ? null : START.plusSeconds(8), START, START.plusSeconds(9));
    }

    private void detail(final Map<String, String> key, final int number, final String status, final int retries,
                        final String error) {
        sql.update("INSERT INTO load_log_detail (src_type, regn, db_name, table_name, base_dts, detail_seq, status, retry_count,"
                        + " error_message, created_dt, updated_dt) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", key.get("src_type"),
                key.get("regn"), key.get("db_name"), key.get("table_name"), key.get("base_dts"), number, status, retries, error,
                START, START);
    }

    private void touch(final int number, final LocalDateTime updated) {
        sql.update("UPDATE load_log_detail SET updated_dt = ? WHERE detail_seq = ?", updated, number);
    }
}
