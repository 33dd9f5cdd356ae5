package dev.rowhash.nifi;

import dev.rowhash.nifi.jni.RowHashException;
import dev.rowhash.nifi.jni.SpringBatchKeys;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.nifi.components.ConfigVerificationResult;
import org.apache.nifi.components.ConfigVerificationResult.Outcome;
import org.apache.nifi.dbcp.DBCPService;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.exception.ProcessException;

/** The Verify button of PutSpringBatchMetadata: is the JOB_KEY right, are the tables there. */
final class SpringBatchVerification {

    static final String KNOWN_KEY = "Make a known JOB_KEY";
    static final String TABLES = "Find the metadata tables";

    private static final Map<String, String> PARAMETERS = new LinkedHashMap<>();

    static {
        PARAMETERS.put("src_type", "NAS");
        PARAMETERS.put("regn", "R01");
        PARAMETERS.put("db_name", "bronze");
        PARAMETERS.put("table_name", "nas_copilot_call");
        PARAMETERS.put("base_dts", "20260225143000");
    }

    private SpringBatchVerification() {
    }

    static List<ConfigVerificationResult> run(final ProcessContext context, final Map<String, String> attributes) {
        final List<ConfigVerificationResult> results = new ArrayList<>();
        results.add(Verification.loadLibrary());
        if (results.get(0).getOutcome() == Outcome.FAILED) {
            results.addAll(Verification.skipped(KNOWN_KEY, TABLES));
            return results;
        }
        final String version = context.getProperty(PutSpringBatchMetadata.VERSION).getValue();
        results.add(makeKey(version, version.equals("5")
                ? "c68b94acc3518f62a68077d5cbbe17bd" : "f66bd8339a4247b8b4e2c9c174898fdb"));
        results.add(findTables(context, attributes));
        return results;
    }

    /** @param right what Spring Batch itself makes of the known batch */
    static ConfigVerificationResult makeKey(final String version, final String right) {
        try {
            final String key = SpringBatchKeys.jobKey(version, PARAMETERS);
            return key.equals(right)
                    ? Verification.result(KNOWN_KEY, Outcome.SUCCESSFUL, "A known batch has the key " + key + ", as it must")
                    : Verification.result(KNOWN_KEY, Outcome.FAILED, "A known batch has the key " + key + "; right is " + right
                            + ": the native library is damaged, install the NAR again");
        } catch (final RowHashException e) {
            return Verification.result(KNOWN_KEY, Outcome.FAILED, e.getMessage());
        }
    }

    private static ConfigVerificationResult findTables(final ProcessContext context, final Map<String, String> attributes) {
        final DBCPService pool = context.getProperty(PutSpringBatchMetadata.CONNECTION_POOL)
                .asControllerService(DBCPService.class);
        if (pool == null) {
            return Verification.result(TABLES, Outcome.FAILED, "There is no Database Connection Pooling Service: choose one");
        }
        try (Connection connection = pool.getConnection(attributes);
             SpringBatchTables tables = new SpringBatchTables(connection, PutSpringBatchMetadata.settings(context))) {
            final String problem = tables.problem();
            return problem == null
                    ? Verification.result(TABLES, Outcome.SUCCESSFUL, "They are there, in " + tables.dialect() + ", as Spring"
                            + " Batch " + context.getProperty(PutSpringBatchMetadata.VERSION).getValue() + " makes them")
                    : Verification.result(TABLES, Outcome.FAILED, problem);
        } catch (final SQLException | ProcessException e) {
            return Verification.result(TABLES, Outcome.FAILED, "The database cannot be used: " + e.getMessage());
        } catch (final IllegalArgumentException e) {
            return Verification.result(TABLES, Outcome.FAILED, e.getMessage());
        }
    }
}
