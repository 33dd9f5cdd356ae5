package dev.rowhash.nifi;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.nifi.components.state.Scope;
import org.apache.nifi.util.MockFlowFile;
import org.apache.nifi.util.TestRunner;
import org.apache.nifi.util.TestRunners;

/** EmitLoadLog with a clock that the test moves, and the tables that its records go to. */
final class LoadLogFlow {

    static final String BASE_DTS = "20260225143000";
    private static final long START = 1_772_029_800_000L;

    final AtomicLong clock = new AtomicLong(START);
    final EmitLoadLog processor = new EmitLoadLog(clock::get);
    final TestRunner runner = TestRunners.newTestRunner(processor);
    final LoadLogTables tables = new LoadLogTables();
    final List<MockFlowFile> details = new ArrayList<>();
    final List<MockFlowFile> logged = new ArrayList<>();
    final List<MockFlowFile> refused = new ArrayList<>();

    LoadLogFlow(final String... properties) {
        for (int i = 0; i < properties.length; i += 2) {
            runner.setProperty(properties[i], properties[i + 1]);
        }
    }

    /** The attributes of a FlowFile of a file in a batch. */
    static Map<String, String> nas(final String... attributes) {
        final Map<String, String> map = new HashMap<>(Map.of("src_type", "NAS", "regn", "R01", "db_name", "bronze",
                "table_name", "nas_copilot_call", "base_dts", BASE_DTS, "absolute.path", "/in/", "filename", "a.log"));
        return with(map, attributes);
    }

    static Map<String, String> with(final Map<String, String> attributes, final String... more) {
        final Map<String, String> map = new HashMap<>(attributes);
        for (int i = 0; i < more.length; i += 2) {
            if (more[i + 1] == null) {
                map.remove(more[i]);
            } else {
                map.put(more[i], more[i + 1]);
            }
        }
        return map;
    }

    /** An item of a split. */
    static Map<String, String> item(final String unit, final int index, final int count, final String... attributes) {
        return with(nas("fragment.identifier", unit, "fragment.index", Integer.toString(index),
                "fragment.count", Integer.toString(count)), attributes);
    }

    static Map<String, String> item(final String unit, final int index, final int count, final Map<String, String> attributes) {
        final Map<String, String> map = item(unit, index, count);
        map.putAll(attributes);
        return map;
    }

    static Map<String, String> original(final String unit, final int count, final String... attributes) {
        return with(nas("fragment.identifier", unit, "fragment.count", Integer.toString(count), "load.outcome", "declared"),
                attributes);
    }

    static String[] failed(final String processor, final String message) {
        return new String[] {"error_processor", processor, "error_message", message};
    }

    LoadLogFlow enqueue(final String content, final Map<String, String> attributes) {
        runner.enqueue(content.getBytes(StandardCharsets.UTF_8), attributes);
        return this;
    }

    LoadLogFlow enqueueItems(final String unit, final int count) {
        IntStream.rangeClosed(1, count).forEach(index -> enqueue("line " + index, item(unit, index, count)));
        return this;
    }

    /** Sets the clock to the time that FlowFiles are made at. */
    LoadLogFlow now() {
        clock.set(System.currentTimeMillis());
        return this;
    }

    /** Triggers once, and takes the records away to the tables. */
    LoadLogFlow trigger() {
        runner.run(1, false);
        drain();
        return this;
    }

    void drain() {
        runner.getFlowFilesForRelationship("master").forEach(tables::upsertMasters);
        runner.getFlowFilesForRelationship("detail").forEach(tables::upsertDetails);
        details.addAll(runner.getFlowFilesForRelationship("detail"));
        logged.addAll(runner.getFlowFilesForRelationship("success"));
        refused.addAll(runner.getFlowFilesForRelationship("failure"));
        runner.clearTransferState();
    }

    /** Lets the settle time pass. */
    LoadLogFlow settle() {
        return after(Duration.ofSeconds(5));
    }

    LoadLogFlow after(final Duration time) {
        clock.addAndGet(time.toMillis());
        return trigger();
    }

    /** Lets each batch that is final end, and takes those from the state too that are kept for their failures. */
    LoadLogFlow close() {
        after(Duration.ofMinutes(11));
        try {
            runner.getStateManager().setState(Map.of("ledger.parts", "0"), Scope.CLUSTER);
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
        return this;
    }

    Map<String, String> state() {
        try {
            return runner.getStateManager().getState(Scope.CLUSTER).toMap();
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }
}
