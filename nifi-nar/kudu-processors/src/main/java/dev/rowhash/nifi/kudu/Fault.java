package dev.rowhash.nifi.kudu;

import org.apache.kudu.client.Status;

/** Where to look for the cause of an error of Kudu's. */
enum Fault {
    /** On the way, or in a server that is gone: the next try may find it right. */
    PASSING,
    /** In the table, or in the right to write it. */
    TABLE,
    /** In what was asked, so that asking again changes nothing. */
    REQUEST;

    static Fault of(final Status status) {
        // A tablet that the client cannot find, as while the master is away, is a runtime error to it.
        if (status.isTimedOut() || status.isRuntimeError() || status.isNetworkError() || status.isServiceUnavailable()
                || status.isAborted() || status.isIncomplete() || status.isUninitialized()) {
            return PASSING;
        }
        if (status.isNotFound() || status.isNotAuthorized() || status.isIllegalState() || status.isConfigurationError()
                || status.isIOError() || status.isCorruption()) {
            return TABLE;
        }
        return REQUEST;
    }
}
