package dev.rowhash.nifi;

import dev.rowhash.nifi.jni.ReplayDecision;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.nifi.serialization.record.Record;

/** A record of the re-run query as texts. The case of the columns' names does not count: drivers change it. */
final class ReplayRecord {

    static final String LINE_CONTENT = "line_content";

    private static final String CREATED_DT = "created_dt";
    private static final String START_TS = "start_ts";

    /** The attribute for each column that goes on with the item. */
    private static final Map<String, String> ATTRIBUTES;

    static {
        final Map<String, String> attributes = new LinkedHashMap<>();
        for (final String column : new String[] {"src_type", "regn", "db_name", "table_name", "base_dts", "kafka_category",
                "kafka_svc", "record_key"}) {
            attributes.put(column, column);
        }
        for (final String column : new String[] {"detail_seq", CREATED_DT, START_TS, "src_count", "load_count", "error_count",
                "max_detail_seq", "min_detail_seq"}) {
            attributes.put(column, "load." + column);
        }
        attributes.put("file_path", "absolute.path");
        attributes.put("kafka_topic", "kafka.topic");
        attributes.put("kafka_partition", "kafka.partition");
        attributes.put("kafka_offset", "kafka.offset");
        ATTRIBUTES = Collections.unmodifiableMap(attributes);
    }

    private final Map<String, String> columns;
    /** Columns that came as a time, not as a number: nobody knows what zone shifted them on their way. */
    private final Set<String> times;

    private ReplayRecord(final Map<String, String> columns, final Set<String> times) {
        this.columns = columns;
        this.times = times;
    }

    static ReplayRecord of(final Record record) {
        final Map<String, String> columns = new LinkedHashMap<>();
        final Set<String> times = new HashSet<>();
        record.toMap().forEach((name, value) -> {
            final String text = text(value);
            if (value instanceof Date) {
                times.add(name.toLowerCase(Locale.ROOT));
            }
            if (text != null && !text.isEmpty()) {
                columns.put(name.toLowerCase(Locale.ROOT), text);
            }
        });
        return new ReplayRecord(columns, times);
    }

    /** Numbers in plain notation, as the tables' INT and BIGINT columns hold them, and times as epoch milliseconds. */
    private static String text(final Object value) {
        if (value == null) {
            return null;
        }
        if (value instanceof Double || value instanceof Float || value instanceof BigDecimal) {
            final BigDecimal number = new BigDecimal(value.toString());
            return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
        }
        return value instanceof Date ? Long.toString(((Date) value).getTime()) : value.toString();
    }

    /** The column's text; null when it is null, empty or absent. */
    String get(final String column) {
        return columns.get(column);
    }

    Map<String, String> columns() {
        return columns;
    }

    int characters() {
        return columns.values().stream().mapToInt(String::length).sum();
    }

    /** What is wrong with a column that the decision does not look at. */
    Optional<String> problem() {
        for (final String column : new String[] {CREATED_DT, START_TS}) {
            final String time = get(column);
            if (time != null && (times.contains(column) || !time.matches("-?\\d{1,18}"))) {
                return Optional.of(column + " is " + (times.contains(column) ? "a TIMESTAMP" : "'" + time + "'")
                        + ": select it as epoch milliseconds, a number, so that no time zone can shift it, or leave it out");
            }
        }
        return Optional.empty();
    }

    /** @param uuid names an item that is no file, in place of the name of the query's result */
    Map<String, String> attributes(final ReplayDecision decision, final String uuid) {
        final Map<String, String> attributes = new HashMap<>();
        ATTRIBUTES.forEach((column, attribute) -> {
            if (get(column) != null) {
                attributes.put(attribute, get(column));
            }
        });
        final String fileName = get("file_name");
        attributes.put("filename", fileName == null ? uuid : fileName);
        attributes.put("load.retry_count", decision.retryCount());
        decision.unit().ifPresent(unit -> attributes.put("load.unit", unit));
        decision.item().ifPresent(item -> attributes.put("load.item", item));
        return attributes;
    }
}
