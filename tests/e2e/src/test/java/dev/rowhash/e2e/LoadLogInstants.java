package dev.rowhash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowhash.runtime.FlowProcessor;
import dev.rowhash.runtime.LoadLogFlow;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;

/** One batch whose times must be the same instants in Kudu whatever the time zone of NiFi's JVM is. */
final class LoadLogInstants {
    private static final String BASE_DTS = "20260304050607";
    private static final Instant FIRST_LOGGED = Instant.parse("2026-02-25T14:30:00.123Z");

    private LoadLogInstants() {
    }

    /** Logs it as a flow does that has run an item of a closed batch again. */
    static void check(final LoadLogFlow flow) {
        final FlowProcessor source = flow.addSource("Load log");
        flow.start();
        final Instant before = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        final Map<String, String> item = new HashMap<>(Map.of("src_type", "NAS", "regn", "R01", "db_name", "bronze",
                "table_name", "nas_copilot_call", "base_dts", BASE_DTS, "absolute.path", "/in", "filename", "calls.log",
                "error_processor", "PutKudu", "error_message", "refused"));
        item.putAll(Map.of("load.detail_seq", "7", "load.retry_count", "1", "load.created_dt",
                Long.toString(FIRST_LOGGED.toEpochMilli()), "load.src_count", "10", "load.load_count", "9",
                "load.error_count", "1", "load.max_detail_seq", "7", "load.min_detail_seq", "7"));
        item.put("load.start_ts", Long.toString(FIRST_LOGGED.toEpochMilli()));
        LoadLogFlow.send(source, "the line", item);
        flow.awaitFinal(1);
        final Instant after = Instant.now();

        assertThat(flow.details()).singleElement().satisfies(row -> {
            assertThat(row).containsEntry("created_dt", FIRST_LOGGED);
            assertThat((Instant) row.get("updated_dt")).isBetween(before, after);
        });
        assertThat(flow.master(BASE_DTS)).containsEntry("status", "PARTIAL").containsEntry("base_dt", "20260304");
        assertThat(flow.master(BASE_DTS)).containsEntry("start_ts", FIRST_LOGGED).containsEntry("created_dt", FIRST_LOGGED);
        for (final String time : new String[] {"end_ts", "updated_dt"}) {
            assertThat((Instant) flow.master(BASE_DTS).get(time)).as(time).isBetween(before, after);
        }
        assertThat(Duration.between(before, after)).as("or a zone would not show").isLessThan(Duration.ofHours(1));
    }
}
