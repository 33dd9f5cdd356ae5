package dev.rowhash.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The processor alone on a real NiFi: lines a second from a queue to a queue beside UpdateRecord, and how much heap a
 * large file takes. A sink takes most of the time of a whole flow, and hides what comes before it.
 *
 * <pre>ProcessorBenchmark --nar FILE --processors FILE --memory FILE [--lines N] [--megabytes N]</pre>
 */
public final class ProcessorBenchmark {
    private static final long SEED = 20260302L;
    private static final Duration DEADLINE = Duration.ofMinutes(20);
    private static final int ROUNDS = 3;
    private static final int HEAP_MEGABYTES = 512;
    private static final int LINES_AT_ONCE = 10_000;

    private ProcessorBenchmark() {
    }

    public static void main(final String[] arguments) throws IOException {
        final Map<String, String> options = new LinkedHashMap<>(Map.of("--lines", "200000", "--megabytes", "2048"));
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            options.put(arguments[i], arguments[i + 1]);
        }
        final Path nar = Path.of(options.get("--nar"));
        try (NifiServer nifi = NifiServer.of(NifiVersion.V1_18_0).extension(nar).jvmArguments("-Xmx2g").start()) {
            write(options.get("--processors"), processors(nifi, Integer.parseInt(options.get("--lines"))));
        }
        try (NifiServer nifi = NifiServer.of(NifiVersion.V1_18_0).extension(nar)
                .jvmArguments("-Xmx" + HEAP_MEGABYTES + "m").start()) {
            write(options.get("--memory"), memory(nifi, Long.parseLong(options.get("--megabytes")) << 20));
        }
    }

    private static void write(final String file, final Object result) throws IOException {
        final Path report = Path.of(file).toAbsolutePath();
        Files.createDirectories(report.getParent());
        NifiClient.JSON.writerWithDefaultPrettyPrinter().writeValue(report.toFile(), result);
    }

    private static List<Map<String, Object>> processors(final NifiServer nifi, final int lines) throws IOException {
        final List<NasCall> calls = SampleLog.calls(SEED, lines);
        final Path rows = nifi.data("benchmark").resolve("calls.ndjson");
        FlowBenchmark.writeJson(rows, calls, call -> null);
        final Path text = rows.resolveSibling("calls.log");
        SampleLog.write(text, calls);
        final String columns = String.join(",", NasCall.COLUMNS);

        final List<Step> steps = List.of(
                new Step(nifi, "UpdateRecord with hash()", rows, FlowBenchmark.records(FlowBenchmark.updateRecord())),
                new Step(nifi, "ComputeRowHash, Records", rows, FlowBenchmark.records(hash("Records"))),
                new Step(nifi, "ComputeRowHash, NDJSON Content", rows, flow -> hash("NDJSON Content")),
                new Step(nifi, "ComputeRowHash, Delimited Content", text, flow -> hash("Delimited Content")
                        .set("Delimiter", "\\t").set("Quoting", "None").set("Header", columns)));
        // In turns, so that what else the machine does meets them all.
        for (int round = 0; round < ROUNDS; round++) {
            steps.forEach(Step::run);
        }
        final List<Map<String, Object>> results = new ArrayList<>();
        for (final Step step : steps) {
            System.out.printf("%-40s %8d lines %10.0f lines/s%n", step.name, lines, lines / step.best);
            results.add(Map.of("flow", step.name, "lines", lines, "seconds", step.best, "linesPerSecond", lines / step.best));
        }
        return results;
    }

    private static Component hash(final String rowSource) {
        return Component.of("ComputeRowHash").set("Columns", String.join(",", NasCall.COLUMNS)).set("Row Source", rowSource);
    }

    private static Map<String, Object> memory(final NifiServer nifi, final long bytes) throws IOException {
        final byte[] lines = ndjson();
        final Path file = nifi.data("benchmark").resolve("large.ndjson");
        long written = 0;
        long rows = 0;
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            while (written < bytes) {
                out.write(lines);
                written += lines.length;
                rows += LINES_AT_ONCE;
            }
        }
        final Step step = new Step(nifi, "large file", file, flow -> hash("NDJSON Content"));
        step.run();
        final long hashed = step.processor.counters().getOrDefault("Rows Hashed", 0L);
        if (hashed != rows) {
            throw new RuntimeFailure("Of " + rows + " rows " + hashed + " were hashed");
        }
        System.out.printf("%d bytes, %d rows: at most %d MB of heap%n", written, rows, step.heapPeak >> 20);
        return Map.of("bytes", written, "rows", rows, "seconds", step.best, "heapLimit", step.heapLimit,
                "heapPeak", step.heapPeak);
    }

    private static byte[] ndjson() throws IOException {
        final StringBuilder text = new StringBuilder();
        for (final NasCall call : SampleLog.calls(SEED, LINES_AT_ONCE)) {
            text.append(NifiClient.JSON.writeValueAsString(call.byColumn())).append('\n');
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** A processor between two queues. */
    private static final class Step {
        private final NifiServer nifi;
        private final String name;
        private final FlowProcessor source;
        private final FlowProcessor fetch;
        private final FlowProcessor processor;
        private final FlowQueue before;
        private final FlowQueue after;
        private double best = Double.MAX_VALUE;
        private long heapLimit;
        private long heapPeak;

        Step(final NifiServer nifi, final String name, final Path file, final Function<Flow, Component> component) {
            this.nifi = nifi;
            this.name = name;
            final Flow flow = Flow.create(nifi.client(), name);
            source = flow.add(Component.of("GenerateFlowFile").every("1 day")
                    .set("absolute.path", file.getParent().toString()).set("filename", file.getFileName().toString()));
            fetch = flow.add(Component.of("FetchFile"));
            processor = flow.add(component.apply(flow));
            flow.connect(source, fetch, "success");
            flow.keep(fetch, "not fetched", "not.found", "permission.denied", "failure");
            before = flow.connect(fetch, processor, "success");
            after = flow.keep(processor, "done", "success");
            flow.keep(processor, "refused", "failure");
        }

        void run() {
            source.runOnce();
            fetch.start();
            Await.until("the file to be fetched", DEADLINE, () -> before.size() == 1);
            fetch.stop();
            final long start = System.nanoTime();
            processor.start();
            Await.until("the file to go through " + name, DEADLINE, () -> {
                look();
                return after.size() == 1;
            });
            best = Math.min(best, (System.nanoTime() - start) / 1e9);
            processor.stop();
            after.empty();
        }

        private void look() {
            final JsonNode heap = nifi.client().get("/system-diagnostics").path("systemDiagnostics").path("aggregateSnapshot");
            heapLimit = heap.path("maxHeapBytes").asLong();
            heapPeak = Math.max(heapPeak, heap.path("usedHeapBytes").asLong());
        }
    }
}
