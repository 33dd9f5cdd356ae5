package dev.rowhash.e2e;

import dev.rowhash.runtime.Await;
import dev.rowhash.runtime.Component;
import dev.rowhash.runtime.Flow;
import dev.rowhash.runtime.FlowProcessor;
import dev.rowhash.runtime.FlowQueue;
import dev.rowhash.runtime.FlowQueue.FlowFile;
import dev.rowhash.runtime.KuduServer;
import dev.rowhash.runtime.NasCallTable;
import dev.rowhash.runtime.NifiServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** A whole file into one ComputeRowHash, and, if that is wanted, on into Kudu. What is refused waits in a queue. */
final class FileFlow {
    private static final Duration DEADLINE = Duration.ofSeconds(180);
    private static final String FILE = "calls";

    private final String mode;
    private final Path file;
    private final FlowProcessor source;
    private final List<FlowProcessor> steps;
    private final FlowQueue refused;
    private final FlowQueue sinkRefused;
    private final FlowQueue done;
    private final Flow flow;

    private FileFlow(final NifiServer nifi, final KuduServer kudu, final Function<Flow, Component> computeRowHash) {
        flow = Flow.create(nifi.client(), "a whole file");
        final Component hashStep = computeRowHash.apply(flow);
        mode = hashStep.property("Row Source");
        file = nifi.data("whole files").resolve(mode).resolve(FILE);
        source = flow.add(Component.of("GenerateFlowFile").set("File Size", "0B"));
        final FlowProcessor fetch = flow.add(Component.of("FetchFile").set("File to Fetch", file.toString())
                .autoTerminate("not.found", "permission.denied", "failure"));
        final FlowProcessor name = flow.add(Component.of("UpdateAttribute").set("filename", FILE));
        final FlowProcessor hash = flow.add(hashStep);
        flow.connect(source, fetch, "success");
        flow.connect(fetch, name, "success");
        flow.connect(name, hash, "success");
        refused = flow.keep(hash, "refused", "failure");
        if (kudu == null) {
            steps = List.of(fetch, name, hash);
            sinkRefused = null;
            done = flow.keep(hash, "done", "success");
        } else {
            final FlowProcessor sink = flow.add(Component.of("PutKudu").set("Kudu Masters", kudu.masters())
                    .set("Table Name", NasCallTable.NAME).set("Insert Operation", "UPSERT")
                    .set("Record Reader", flow.enable(Component.of("JsonTreeReader"))));
            flow.connect(hash, sink, "success");
            steps = List.of(fetch, name, hash, sink);
            sinkRefused = flow.keep(sink, "refused by the sink", "failure");
            done = flow.keep(sink, "done", "success");
        }
    }

    static FileFlow intoKudu(final NifiServer nifi, final KuduServer kudu, final Function<Flow, Component> computeRowHash) {
        return new FileFlow(nifi, kudu, computeRowHash);
    }

    static FileFlow ending(final NifiServer nifi, final Function<Flow, Component> computeRowHash) {
        return new FileFlow(nifi, null, computeRowHash);
    }

    /** Puts one file through; the answer is what came out. */
    Result load(final String content) {
        refused.empty();
        done.empty();
        write(content);
        steps.forEach(FlowProcessor::start);
        source.runOnce();
        Await.until("the file to come through", DEADLINE,
                () -> done.size() + refused.size() + (sinkRefused == null ? 0 : sinkRefused.size()) > 0 && onTheWay() == 0,
                () -> flow.queued().toString());
        steps.forEach(FlowProcessor::stop);
        if (sinkRefused != null && sinkRefused.size() > 0) {
            throw new AssertionError("The sink refused " + sinkRefused.flowFiles());
        }
        return new Result(done.flowFiles(), refused.flowFiles());
    }

    /** The queues between processors have no label. */
    private int onTheWay() {
        return flow.queued().entrySet().stream().filter(queue -> !queue.getKey().contains("refused")
                && !queue.getKey().equals("done")).mapToInt(Map.Entry::getValue).sum();
    }

    private void write(final String content) {
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, content);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return mode;
    }

    record Result(List<FlowFile> loaded, List<FlowFile> refused) {
    }
}
