package dev.rowhash.nifi;

import dev.rowhash.nifi.jni.SpringBatchKeys;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** A record of load_log_master as what Spring Batch calls a job instance and one of its executions. */
final class MasterRecord {

    /** Tells apart the executions of an instance; not identifying, so no part of the JOB_KEY. */
    static final String ATTEMPT = "loadlog.attempt";

    private static final int MAX_JOB_NAME = 100;
    private static final int MAX_TEXT = 2500;
    private static final String[] KEY = {"src_type", "regn", "db_name", "table_name", "base_dts"};

    private final ReplayRecord record;
    private final Map<String, String> key = new LinkedHashMap<>();
    private final int attempt;
    private final String jobName;
    private final Standing standing;

    /** @throws IllegalArgumentException if it is no record of load_log_master; the message says what is wrong */
    MasterRecord(final ReplayRecord record, final int attempt, final boolean errorsAccepted) {
        this.record = record;
        this.attempt = attempt;
        for (final String column : KEY) {
            final String value = required(column);
            if (value.length() > MAX_TEXT) {
                throw new IllegalArgumentException(column + " has " + value.length() + " characters, a parameter of Spring"
                        + " Batch " + MAX_TEXT + " at the most: shorten it in the flow");
            }
            key.put(column, value);
        }
        this.jobName = "load." + key.get("src_type") + "." + key.get("db_name") + "." + key.get("table_name");
        if (jobName.length() > MAX_JOB_NAME) {
            throw new IllegalArgumentException("the job's name " + jobName + " has " + jobName.length() + " characters, JOB_NAME"
                    + " of Spring Batch takes " + MAX_JOB_NAME + ": shorten src_type, db_name or table_name in the flow");
        }
        this.standing = Standing.of(required("status"), errorsAccepted);
        number("src_count");
        number("load_count");
        number("error_count");
        start();
        updated();
    }

    /** How an execution stands, in Spring Batch's words: other words in STATUS break every read. */
    private enum Standing {
        RUNNING("STARTED", "UNKNOWN"),
        SUCCESS("COMPLETED", "COMPLETED"),
        /** Failed, so that running the same instance again is legal. */
        PARTIAL("FAILED", "COMPLETED WITH SKIPS"),
        PARTIAL_ACCEPTED("COMPLETED", "COMPLETED WITH SKIPS"),
        FAIL("FAILED", "FAILED");

        private final String status;
        private final String exitCode;

        Standing(final String status, final String exitCode) {
            this.status = status;
            this.exitCode = exitCode;
        }

        private static Standing of(final String name, final boolean errorsAccepted) {
            switch (name) {
                case "RUNNING":
                    return RUNNING;
                case "SUCCESS":
                    return SUCCESS;
                case "PARTIAL":
                    return errorsAccepted ? PARTIAL_ACCEPTED : PARTIAL;
                case "FAIL":
                    return FAIL;
                default:
                    throw new IllegalArgumentException("status is '" + name + "': a batch is RUNNING, SUCCESS, PARTIAL or FAIL");
            }
        }
    }

    /** The identifying parameters. */
    Map<String, String> key() {
        return Collections.unmodifiableMap(key);
    }

    String jobKey(final String version) {
        return SpringBatchKeys.jobKey(version, key);
    }

    String jobName() {
        return jobName;
    }

    int attempt() {
        return attempt;
    }

    boolean isFinal() {
        return standing != Standing.RUNNING;
    }

    String status() {
        return standing.status;
    }

    String exitCode() {
        return standing.exitCode;
    }

    String exitMessage() {
        return errors() == 0 ? "" : errors() + " of " + read() + " rows failed: load_log_detail says why";
    }

    long read() {
        return number("src_count");
    }

    long written() {
        return number("load_count");
    }

    long errors() {
        return number("error_count");
    }

    Instant created() {
        return time("created_dt").orElseGet(this::start);
    }

    Instant start() {
        return time("start_ts").orElseThrow(() -> absent("start_ts"));
    }

    /** None while it runs: an execution with an end does not run for Spring Batch. */
    Optional<Instant> end() {
        return isFinal() ? Optional.of(time("end_ts").orElseGet(this::updated)) : Optional.empty();
    }

    Instant updated() {
        return time("updated_dt").orElseThrow(() -> absent("updated_dt"));
    }

    private String required(final String column) {
        final String value = record.get(column);
        if (value == null) {
            throw absent(column);
        }
        return value;
    }

    private static IllegalArgumentException absent(final String column) {
        return new IllegalArgumentException(column + " is empty or absent: it must come as load_log_master has it");
    }

    private long number(final String column) {
        final String value = record.get(column) == null ? "0" : record.get(column);
        if (!value.matches("\\d{1,10}")) {
            throw new IllegalArgumentException(column + " is '" + value + "': it must be a whole number");
        }
        return Long.parseLong(value);
    }

    private Optional<Instant> time(final String column) {
        final String value = record.get(column);
        if (value != null && !value.matches("-?\\d{1,18}")) {
            throw new IllegalArgumentException(column + " is '" + value + "': it must come as epoch milliseconds, so that no time"
                    + " zone can shift it");
        }
        return Optional.ofNullable(value).map(Long::parseLong).map(Instant::ofEpochMilli);
    }

    @Override
    public String toString() {
        return "batch " + String.join(", ", key.values()) + ", attempt " + attempt;
    }
}
