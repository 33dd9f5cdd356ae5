package dev.rowhash.nifi;

import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.util.function.Predicate;

/** What a database's error calls for: the same once more, waiting, or a person. */
final class SqlTroubles {

    private static final int SQLITE_BUSY = 5;
    private static final int SQLITE_LOCKED = 6;
    private static final int SQLITE_CONSTRAINT = 19;

    private SqlTroubles() {
    }

    /** Another writer was faster, or the database chose this transaction to end a deadlock. */
    static boolean isConflict(final SQLException e) {
        return any(e, one -> isDuplicate(one) || stateStarts(one, "40") || isBusy(one));
    }

    /** The database cannot be reached, or has no time now: the FlowFile is to wait. */
    static boolean isPassing(final SQLException e) {
        return any(e, one -> one instanceof SQLTransientException || one instanceof SQLRecoverableException
                || one instanceof SQLNonTransientConnectionException || stateStarts(one, "08") || stateStarts(one, "57P")
                || stateStarts(one, "40") || isBusy(one));
    }

    /** Gives the error back, unless it says nothing of what was tried. */
    static SQLException orConnectionLost(final SQLException e) throws SQLException {
        if (isPassing(e)) {
            throw e;
        }
        return e;
    }

    private static boolean isDuplicate(final SQLException e) {
        return e instanceof SQLIntegrityConstraintViolationException || stateStarts(e, "23")
                || isOfSqlite(e) && (e.getErrorCode() & 0xff) == SQLITE_CONSTRAINT;
    }

    private static boolean isBusy(final SQLException e) {
        final int code = e.getErrorCode() & 0xff;
        return isOfSqlite(e) && (code == SQLITE_BUSY || code == SQLITE_LOCKED);
    }

    /** Its driver gives no SQLSTATE. */
    private static boolean isOfSqlite(final SQLException e) {
        return e.getClass().getName().startsWith("org.sqlite.");
    }

    private static boolean stateStarts(final SQLException e, final String start) {
        return e.getSQLState() != null && e.getSQLState().startsWith(start);
    }

    private static boolean any(final SQLException first, final Predicate<SQLException> test) {
        for (SQLException e = first; e != null; e = e.getNextException()) {
            if (test.test(e)) {
                return true;
            }
        }
        return first.getCause() instanceof SQLException && any((SQLException) first.getCause(), test);
    }
}
