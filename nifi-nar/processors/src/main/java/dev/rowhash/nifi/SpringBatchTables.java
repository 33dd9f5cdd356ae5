package dev.rowhash.nifi;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Map;
import java.util.TreeMap;

/**
 * Spring Batch's metadata tables in one database.
 *
 * <p>Writers of one instance come one after another: each first updates its row, to nothing new, and so holds the lock
 * that every database has for that. No context rows are written: Spring Batch reads their absence as an empty context.
 */
final class SpringBatchTables implements AutoCloseable {

    /** What became of a record. */
    enum Result { WRITTEN, UNCHANGED }

    /** Another writer was in between: the same once more. */
    static final class Conflict extends SQLException {
        private static final long serialVersionUID = 1L;

        Conflict() {
            super("Another writer changed the execution meanwhile", "40001");
        }
    }

    private static final int MAX_CONFLICTS = 20;

    private final Connection connection;
    private final int isolation;
    private final boolean autoCommit;
    private final SpringBatchDialect dialect;
    private final Settings settings;

    /** How the tables are written, whichever database they are in. */
    static final class Settings {
        private final String version;
        private final String prefix;
        private final String stepName;
        private final ZoneId zone;

        Settings(final String version, final String prefix, final String stepName, final ZoneId zone) {
            this.version = version;
            this.prefix = prefix;
            this.stepName = stepName;
            this.zone = zone;
        }

        String instanceSequence() {
            return instanceSequence(version);
        }

        String instanceSequence(final String ofVersion) {
            return prefix + (ofVersion.equals("5") ? "JOB_SEQ" : "JOB_INSTANCE_SEQ");
        }
    }

    SpringBatchTables(final Connection connection, final Settings settings) throws SQLException {
        this.connection = connection;
        this.settings = settings;
        this.dialect = SpringBatchDialect.of(connection.getMetaData());
        this.isolation = connection.getTransactionIsolation();
        this.autoCommit = connection.getAutoCommit();
        // A snapshot from before the lock would not show what its last holder wrote.
        if (connection.getMetaData().supportsTransactionIsolationLevel(Connection.TRANSACTION_READ_COMMITTED)) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
        connection.setAutoCommit(false);
    }

    /** Leaves the connection as it came: it is a pool's, which others use as well. */
    @Override
    public void close() throws SQLException {
        connection.rollback();
        connection.setTransactionIsolation(isolation);
        connection.setAutoCommit(autoCommit);
    }

    SpringBatchDialect dialect() {
        return dialect;
    }

    /** Writes a record in a transaction of its own; the same one again, or an older one, changes nothing. */
    Result write(final MasterRecord record) throws SQLException {
        for (int conflicts = 1; ; conflicts++) {
            try {
                final Result result = writeOnce(record);
                connection.commit();
                return result;
            } catch (final SQLException e) {
                rollBack(e);
                if (conflicts == MAX_CONFLICTS || !SqlTroubles.isConflict(e)) {
                    throw e;
                }
            }
        }
    }

    private void rollBack(final SQLException reason) {
        try {
            connection.rollback();
        } catch (final SQLException e) {
            reason.addSuppressed(e);
        }
    }

    private Result writeOnce(final MasterRecord record) throws SQLException {
        final long instance = lockedInstance(record);
        final TreeMap<Long, Long> executions = executions(instance);
        final Long known = executions.get((long) record.attempt());
        final boolean isLatest = executions.isEmpty() || executions.lastKey() <= record.attempt();
        if (known != null) {
            // An attempt that was followed by another one does not run any more.
            return isLatest || record.isFinal() ? update(known, record) : Result.UNCHANGED;
        }
        if (!isLatest) {
            // With a later id it would be the last execution for Spring Batch.
            return Result.UNCHANGED;
        }
        for (final long earlier : executions.values()) {
            close(earlier, record);
        }
        insert(instance, record);
        return Result.WRITTEN;
    }

    private long lockedInstance(final MasterRecord record) throws SQLException {
        final String jobKey = record.jobKey(settings.version);
        execute("UPDATE %JOB_INSTANCE SET VERSION = VERSION WHERE JOB_NAME = ? AND JOB_KEY = ?", record.jobName(), jobKey);
        try (PreparedStatement select = prepared(
                "SELECT JOB_INSTANCE_ID FROM %JOB_INSTANCE WHERE JOB_NAME = ? AND JOB_KEY = ?", record.jobName(), jobKey);
             ResultSet rows = select.executeQuery()) {
            if (rows.next()) {
                return rows.getLong(1);
            }
        }
        final long id = dialect.next(connection, settings.instanceSequence());
        execute("INSERT INTO %JOB_INSTANCE (JOB_INSTANCE_ID, VERSION, JOB_NAME, JOB_KEY) VALUES (?, 0, ?, ?)", id,
                record.jobName(), jobKey);
        return id;
    }

    /** The ids of the executions by attempt. */
    private TreeMap<Long, Long> executions(final long instance) throws SQLException {
        final TreeMap<Long, Long> executions = new TreeMap<>();
        try (PreparedStatement select = prepared("SELECT P.PARAMETER_VALUE, E.JOB_EXECUTION_ID FROM %JOB_EXECUTION E"
                + " JOIN %JOB_EXECUTION_PARAMS P ON P.JOB_EXECUTION_ID = E.JOB_EXECUTION_ID"
                + " WHERE E.JOB_INSTANCE_ID = ? AND P.PARAMETER_NAME = ? ORDER BY E.JOB_EXECUTION_ID DESC", instance, MasterRecord.ATTEMPT);
             ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                executions.put(Long.valueOf(rows.getString(1)), rows.getLong(2));
            }
        }
        return executions;
    }

    private void insert(final long instance, final MasterRecord record) throws SQLException {
        final long execution = dialect.next(connection, settings.prefix + "JOB_EXECUTION_SEQ");
        execute("INSERT INTO %JOB_EXECUTION (JOB_EXECUTION_ID, VERSION, JOB_INSTANCE_ID, CREATE_TIME, START_TIME, END_TIME,"
                        + " STATUS, EXIT_CODE, EXIT_MESSAGE, LAST_UPDATED) VALUES (?, 0, ?, ?, ?, ?, ?, ?, ?, ?)",
                execution, instance, local(record.created()), local(record.start()), end(record), record.status(),
                record.exitCode(), record.exitMessage(), local(record.updated()));
        for (final Map.Entry<String, String> parameter : record.key().entrySet()) {
            insertParameter(execution, parameter.getKey(), String.class, parameter.getValue(), "Y");
        }
        insertParameter(execution, MasterRecord.ATTEMPT, Long.class, Integer.toString(record.attempt()), "N");
        execute("INSERT INTO %STEP_EXECUTION (STEP_EXECUTION_ID, VERSION, STEP_NAME, JOB_EXECUTION_ID, CREATE_TIME, START_TIME,"
                        + " END_TIME, STATUS, COMMIT_COUNT, READ_COUNT, FILTER_COUNT, WRITE_COUNT, READ_SKIP_COUNT,"
                        + " WRITE_SKIP_COUNT, PROCESS_SKIP_COUNT, ROLLBACK_COUNT, EXIT_CODE, EXIT_MESSAGE, LAST_UPDATED)"
                        + " VALUES (?, 0, ?, ?, ?, ?, ?, ?, 0, ?, 0, ?, 0, ?, 0, 0, ?, ?, ?)",
                dialect.next(connection, settings.prefix + "STEP_EXECUTION_SEQ"), settings.stepName, execution,
                local(record.created()), local(record.start()), end(record), record.status(), record.read(), record.written(),
                record.errors(), record.exitCode(), record.exitMessage(), local(record.updated()));
    }

    private void insertParameter(final long execution, final String name, final Class<?> type, final String value,
                                 final String identifying) throws SQLException {
        execute("INSERT INTO %JOB_EXECUTION_PARAMS (JOB_EXECUTION_ID, PARAMETER_NAME, PARAMETER_TYPE, PARAMETER_VALUE,"
                + " IDENTIFYING) VALUES (?, ?, ?, ?, ?)", execution, name, type.getName(), value, identifying);
    }

    private Result update(final long execution, final MasterRecord record) throws SQLException {
        final long version = version(execution);
        final Timestamp updated = local(record.updated());
        // Of two records of one millisecond the final one is the later.
        final String orEnds = record.isFinal() ? " OR (LAST_UPDATED = " + dialect.timestamp() + " AND END_TIME IS NULL)" : "";
        final String sql = "UPDATE %JOB_EXECUTION SET VERSION = VERSION + 1, START_TIME = ?, END_TIME = ?, STATUS = ?,"
                + " EXIT_CODE = ?, EXIT_MESSAGE = ?, LAST_UPDATED = ? WHERE JOB_EXECUTION_ID = ? AND VERSION = ?"
                + " AND (LAST_UPDATED < " + dialect.timestamp() + orEnds + ")";
        final Object[] values = {local(record.start()), end(record), record.status(), record.exitCode(), record.exitMessage(),
                updated, execution, version, updated};
        final int rows;
        try (PreparedStatement update = prepared(sql, values)) {
            if (record.isFinal()) {
                update.setTimestamp(values.length + 1, updated);
            }
            rows = update.executeUpdate();
        }
        if (rows == 0) {
            if (version(execution) != version) {
                throw new Conflict();
            }
            return Result.UNCHANGED;
        }
        execute("UPDATE %STEP_EXECUTION SET VERSION = VERSION + 1, START_TIME = ?, END_TIME = ?, STATUS = ?, READ_COUNT = ?,"
                        + " WRITE_COUNT = ?, WRITE_SKIP_COUNT = ?, EXIT_CODE = ?, EXIT_MESSAGE = ?, LAST_UPDATED = ?"
                        + " WHERE JOB_EXECUTION_ID = ?",
                local(record.start()), end(record), record.status(), record.read(), record.written(), record.errors(),
                record.exitCode(), record.exitMessage(), updated, execution);
        return Result.WRITTEN;
    }

    /** Ends an attempt that never ended: one that runs would keep Spring Batch from running the instance again. */
    private void close(final long execution, final MasterRecord next) throws SQLException {
        final String message = "went on as attempt " + next.attempt();
        for (final String table : new String[] {"%JOB_EXECUTION", "%STEP_EXECUTION"}) {
            execute("UPDATE " + table + " SET VERSION = VERSION + 1, END_TIME = ?, STATUS = 'FAILED', EXIT_CODE = 'FAILED',"
                    + " EXIT_MESSAGE = ? WHERE JOB_EXECUTION_ID = ? AND END_TIME IS NULL", local(next.updated()), message,
                    execution);
        }
    }

    private long version(final long execution) throws SQLException {
        try (PreparedStatement select = prepared("SELECT VERSION FROM %JOB_EXECUTION WHERE JOB_EXECUTION_ID = ?", execution);
             ResultSet rows = select.executeQuery()) {
            if (!rows.next()) {
                throw new Conflict();
            }
            return rows.getLong(1);
        }
    }

    /**
     * What is wrong with the schema, and the cure; null when nothing is. A number of the sequence is used up by it, which
     * leaves a gap in the ids and does no other harm.
     */
    String problem() throws SQLException {
        final String cure = "run " + dialect.script() + " of spring-batch-core " + settings.version
                + ".x (it is in the jar; this processor creates nothing), or correct Table Prefix";
        for (final String table : new String[] {"JOB_INSTANCE", "JOB_EXECUTION", "JOB_EXECUTION_PARAMS", "STEP_EXECUTION"}) {
            final String problem = failure("SELECT COUNT(*) FROM " + settings.prefix + table + " WHERE 1 = 0");
            if (problem != null) {
                return "The table " + settings.prefix + table + " cannot be read (" + problem + "): " + cure;
            }
        }
        if (failure("SELECT PARAMETER_NAME FROM " + settings.prefix + "JOB_EXECUTION_PARAMS WHERE 1 = 0") != null) {
            return "The tables with the prefix " + settings.prefix + " are those of Spring Batch 4: migrate them with"
                    + " org/springframework/batch/core/migration/5.0 of spring-batch-core, or use another prefix";
        }
        final String sequence = settings.instanceSequence();
        final String problem = failureOfSequence(sequence);
        if (problem == null) {
            return null;
        }
        final String other = settings.version.equals("5") ? "6" : "5";
        return failureOfSequence(settings.instanceSequence(other)) == null
                ? sequence + " is not there, but " + settings.instanceSequence(other) + " is: the schema is that of Spring Batch "
                        + other + ", so choose Spring Batch Version " + other
                : "The sequence " + sequence + " cannot be used (" + problem + "): " + cure;
    }

    private String failure(final String sql) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return null;
        } catch (final SQLException e) {
            return SqlTroubles.orConnectionLost(e).getMessage();
        } finally {
            connection.rollback();
        }
    }

    private String failureOfSequence(final String sequence) throws SQLException {
        try {
            dialect.next(connection, sequence);
            return null;
        } catch (final SQLException e) {
            return SqlTroubles.orConnectionLost(e).getMessage();
        } finally {
            connection.rollback();
        }
    }

    private Timestamp end(final MasterRecord record) {
        return record.end().map(this::local).orElse(null);
    }

    /** The columns have no zone: as Spring Batch does, the local time is passed as it is. */
    private Timestamp local(final Instant instant) {
        return Timestamp.valueOf(LocalDateTime.ofInstant(instant, settings.zone));
    }

    private void execute(final String sql, final Object... values) throws SQLException {
        try (PreparedStatement statement = prepared(sql, values)) {
            statement.executeUpdate();
        }
    }

    private PreparedStatement prepared(final String sql, final Object... values) throws SQLException {
        final PreparedStatement statement = connection.prepareStatement(sql.replace("%", settings.prefix));
        try {
            for (int i = 0; i < values.length; i++) {
                if (values[i] == null) {
                    statement.setNull(i + 1, Types.TIMESTAMP);
                } else if (values[i] instanceof Timestamp) {
                    statement.setTimestamp(i + 1, (Timestamp) values[i]);
                } else if (values[i] instanceof Long) {
                    statement.setLong(i + 1, (Long) values[i]);
                } else {
                    statement.setString(i + 1, (String) values[i]);
                }
            }
            return statement;
        } catch (final SQLException e) {
            statement.close();
            throw e;
        }
    }
}
