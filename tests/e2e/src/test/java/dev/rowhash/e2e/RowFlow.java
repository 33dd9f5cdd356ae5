package dev.rowhash.e2e;

import dev.rowhash.runtime.Await;
import dev.rowhash.runtime.Component;
import dev.rowhash.runtime.Flow;
import dev.rowhash.runtime.FlowProcessor;
import dev.rowhash.runtime.FlowQueue;
import dev.rowhash.runtime.FlowQueue.FlowFile;
import dev.rowhash.runtime.NasCall;
import dev.rowhash.runtime.NifiServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** FlowFiles with given attributes into one ComputeRowHash, whose two relationships end in queues. */
final class RowFlow {
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private final FlowProcessor source;
    private final FlowProcessor hash;
    private final FlowQueue waiting;
    private final FlowQueue success;
    private final FlowQueue failure;
    private Set<String> attributes = Set.of();

    private RowFlow(final NifiServer nifi, final Component computeRowHash) {
        final Flow flow = Flow.create(nifi.client(), "rows");
        source = flow.add(Component.of("GenerateFlowFile"));
        hash = flow.add(computeRowHash);
        waiting = flow.connect(source, hash, "success");
        success = flow.keep(hash, "success", "success");
        failure = flow.keep(hash, "failure", "failure");
    }

    static RowFlow of(final NifiServer nifi, final Component computeRowHash) {
        return new RowFlow(nifi, computeRowHash);
    }

    static RowFlow of(final NifiServer nifi, final String columns) {
        return new RowFlow(nifi, Component.of("ComputeRowHash").set("Columns", columns));
    }

    FlowProcessor hash() {
        return hash;
    }

    /** Hands over the rows as one batch; the answer are all FlowFiles that came out. */
    Result run(final List<Map<String, String>> rows) {
        success.empty();
        failure.empty();
        for (final Map<String, String> row : rows) {
            final Map<String, String> properties = new HashMap<>();
            attributes.forEach(name -> properties.put(name, null));
            properties.putAll(row);
            source.configure(properties);
            attributes = row.keySet();
            source.runOnce();
        }
        waiting.awaitSize(rows.size());
        hash.runOnce();
        Await.until(rows.size() + " FlowFiles to come out", DEADLINE, () -> success.size() + failure.size() == rows.size(),
                () -> success.size() + " succeeded, " + failure.size() + " failed");
        return new Result(success.flowFiles(), failure.flowFiles());
    }

    /** The hash of one row that must succeed. */
    String hashOf(final Map<String, String> row) {
        final Result result = run(List.of(row));
        if (!result.failed().isEmpty()) {
            throw new AssertionError("Refused: " + result.failed());
        }
        return result.succeeded().get(0).attribute(NasCall.ROW_HASH);
    }

    record Result(List<FlowFile> succeeded, List<FlowFile> failed) {
    }
}
