package dev.rowhash.nifi.kudu;

/** How the properties have rows written. */
final class RowRules {

    private final boolean lowersNames;
    private final boolean ignoresNull;
    private final boolean ignoresUnknown;
    private final TimeRules times;

    RowRules(final boolean lowersNames, final boolean ignoresNull, final boolean ignoresUnknown, final TimeRules times) {
        this.lowersNames = lowersNames;
        this.ignoresNull = ignoresNull;
        this.ignoresUnknown = ignoresUnknown;
        this.times = times;
    }

    boolean lowersNames() {
        return lowersNames;
    }

    boolean ignoresNull() {
        return ignoresNull;
    }

    boolean ignoresUnknown() {
        return ignoresUnknown;
    }

    TimeRules times() {
        return times;
    }
}
