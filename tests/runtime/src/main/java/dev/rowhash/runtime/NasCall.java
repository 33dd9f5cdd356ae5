package dev.rowhash.runtime;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A line of the NAS call table's log: the values of {@link #COLUMNS}, in that order. */
public record NasCall(List<String> values) {
    /** The columns of the log, and those that the hash covers. */
    public static final List<String> COLUMNS = List.of("ts", "epid", "serviceid", "functiontype", "clickid",
            "response", "userid", "comp", "suborg", "llmurl", "llmtype", "input", "output", "func_name",
            "func_name_en", "analyticsyn", "devicetype");

    /** The name of the hash's column. */
    public static final String ROW_HASH = "row_hash";

    private static final int NATURAL_KEY_COLUMNS = 5;

    /** The primary key of the table: the natural key and the hash. */
    public static final List<String> KEY = keyColumns();

    /** All columns of the table, the key first. */
    public static final List<String> TABLE_COLUMNS = tableColumns();

    public NasCall {
        if (values.size() != COLUMNS.size()) {
            throw new IllegalArgumentException("A call has " + COLUMNS.size() + " values, not " + values.size());
        }
        values = Collections.unmodifiableList(new ArrayList<>(values));
    }

    public String line() {
        return String.join("\t", values);
    }

    public String value(final String column) {
        return values.get(COLUMNS.indexOf(column));
    }

    public NasCall with(final String column, final String value) {
        final List<String> changed = new ArrayList<>(values);
        changed.set(COLUMNS.indexOf(column), value);
        return new NasCall(changed);
    }

    public Map<String, String> byColumn() {
        final Map<String, String> row = new LinkedHashMap<>();
        for (int i = 0; i < COLUMNS.size(); i++) {
            row.put(COLUMNS.get(i), values.get(i));
        }
        return row;
    }

    /** The hash that an independent program gives. */
    public String referenceHash() {
        return ReferenceHash.of(byColumn());
    }

    private static List<String> keyColumns() {
        final List<String> key = new ArrayList<>(COLUMNS.subList(0, NATURAL_KEY_COLUMNS));
        key.add(ROW_HASH);
        return List.copyOf(key);
    }

    private static List<String> tableColumns() {
        final List<String> columns = new ArrayList<>(KEY);
        columns.addAll(COLUMNS.subList(NATURAL_KEY_COLUMNS, COLUMNS.size()));
        return List.copyOf(columns);
    }
}
