package dev.rowhash.nifi;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.nifi.components.ConfigVerificationResult;
import org.apache.nifi.controller.AbstractControllerService;
import org.apache.nifi.dbcp.DBCPService;
import org.apache.nifi.processor.exception.ProcessException;
import org.apache.nifi.reporting.InitializationException;
import org.apache.nifi.util.MockFlowFile;
import org.apache.nifi.util.TestRunner;
import org.apache.nifi.util.TestRunners;

/** PutSpringBatchMetadata with a database. */
final class Export {

    static final Map<String, String> KEY = Map.of("src_type", "NAS", "regn", "R01", "db_name", "bronze",
            "table_name", "nas_copilot_call", "base_dts", "20260225143000");
    static final String JOB = "load.NAS.bronze.nas_copilot_call";
    /** 2026-02-25 14:30:00 UTC. */
    static final long START = 1_772_029_800_000L;

    final PutSpringBatchMetadata processor = new PutSpringBatchMetadata();
    final TestRunner runner = TestRunners.newTestRunner(processor);

    Export(final DataSource database, final String version) {
        final JsonLines reader = new JsonLines();
        final Pool pool = new Pool(database);
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
        runner.setProperty("Spring Batch Version", version);
    }

    /** Writes records of one attempt; they must succeed. */
    Export write(final int attempt, final String... records) {
        final MockFlowFile flowFile = run(attempt, records);
        assertThat(flowFile.getAttribute("error_message")).isNull();
        runner.assertAllFlowFilesTransferred("success", 1);
        return this;
    }

    /** Gives the one FlowFile that comes out. */
    MockFlowFile run(final int attempt, final String... records) {
        runner.clearTransferState();
        runner.enqueue(String.join("\n", records), Map.of("load.attempt", Integer.toString(attempt)));
        runner.run();
        final List<MockFlowFile> success = runner.getFlowFilesForRelationship("success");
        final List<MockFlowFile> failure = runner.getFlowFilesForRelationship("failure");
        assertThat(success.size() + failure.size()).isEqualTo(1);
        return success.isEmpty() ? failure.get(0) : success.get(0);
    }

    List<ConfigVerificationResult> verify() {
        return processor.verify(runner.getProcessContext(), runner.getLogger(), Map.of());
    }

    /** A record as EmitLoadLog writes it, so many seconds after the start. */
    static String master(final String status, final int read, final int loaded, final int failed, final int seconds) {
        return master(KEY, status, read, loaded, failed, seconds);
    }

    static String master(final Map<String, String> key, final String status, final int read, final int loaded,
                         final int failed, final int seconds) {
        final Map<String, Object> record = new LinkedHashMap<>(key);
        record.put("base_dt", key.get("base_dts").substring(0, 8));
        record.put("status", status);
        record.put("src_count", read);
        record.put("load_count", loaded);
        record.put("error_count", failed);
        record.put("start_ts", START);
        record.put("end_ts", status.equals("RUNNING") ? null : START + seconds * 1000L - 500);
        record.put("created_dt", START);
        record.put("updated_dt", START + seconds * 1000L);
        final StringBuilder json = new StringBuilder();
        record.forEach((name, value) -> json.append(json.length() == 0 ? "{" : ",").append('"').append(name).append("\":")
                .append(value instanceof String ? "\"" + value + "\"" : value));
        return json + "}";
    }

    private static final class Pool extends AbstractControllerService implements DBCPService {
        private final DataSource database;

        private Pool(final DataSource database) {
            this.database = database;
        }

        @Override
        public Connection getConnection() {
            try {
                return database.getConnection();
            } catch (final SQLException e) {
                throw new ProcessException(e);
            }
        }
    }
}
