package dev.rowhash.runtime;

import dev.rowhash.runtime.LoadLogTables.Table;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What the load log costs: the same file into the same Kudu with EmitLoadLog and without, on one NiFi in one run, line by
 * line (a split of a split) and as a whole, the best of some rounds of each; and once a million lines line by line with
 * the log. Some lines are broken and become failures. After each run the table has every row once, and the log its counts.
 *
 * <pre>LoadLogBenchmark --nar FILE --kudu-nar FILE --report FILE [--rounds N] [--whole-file-lines N] [--lines N]
 *     [--many-lines N]</pre>
 */
public final class LoadLogBenchmark {
    private static final long SEED = 20260303L;
    private static final Duration DEADLINE = Duration.ofMinutes(40);
    private static final int CALLS_AT_ONCE = 100_000;
    private static final int BROKEN_EVERY = 100_000;
    private static final String COLUMNS = String.join(",", NasCall.COLUMNS);
    private static final String LINE = "^" + NasCall.COLUMNS.stream().map(column -> "([^\\t]*)")
            .collect(Collectors.joining("\\t")) + "$";
    /** What the names of the batch and of all else that an item carries come from. */
    private static final Map<String, String> BATCH = Map.of("src_type", "NAS", "regn", "R01", "db_name", "bronze",
            "table_name", "nas_copilot_call", "base_dts", "20260303090000");

    private final NifiServer nifi;
    private final KuduServer kudu;
    /** The best of each flow. */
    private final Map<String, Result> results = new LinkedHashMap<>();
    private int runs;

    private LoadLogBenchmark(final NifiServer nifi, final KuduServer kudu) {
        this.nifi = nifi;
        this.kudu = kudu;
    }

    public static void main(final String[] arguments) throws IOException {
        final Map<String, String> options = new LinkedHashMap<>(Map.of("--rounds", "3", "--whole-file-lines", "1000000",
                "--lines", "30000", "--many-lines", "1000000"));
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            options.put(arguments[i], arguments[i + 1]);
        }
        final Path report = Path.of(options.get("--report"));
        try (KuduServer kudu = KuduServer.start();
                NifiServer nifi = NifiServer.of(NifiVersion.V1_18_0).extension(Path.of(options.get("--nar")))
                        .extension(Path.of(options.get("--kudu-nar"))).jvmArguments("-Xmx2g").start()) {
            final LoadLogBenchmark benchmark = new LoadLogBenchmark(nifi, kudu);
            for (int round = 0; round < Integer.parseInt(options.get("--rounds")); round++) {
                benchmark.wholeFiles(Integer.parseInt(options.get("--whole-file-lines")));
                benchmark.lines(Integer.parseInt(options.get("--lines")));
            }
            benchmark.manyLines(Integer.parseInt(options.get("--many-lines")));
            Files.createDirectories(report.toAbsolutePath().getParent());
            NifiClient.JSON.writerWithDefaultPrettyPrinter().writeValue(report.toFile(), benchmark.results.values());
        }
    }

    private void wholeFiles(final int lines) throws IOException {
        final Component text = Component.of("ComputeRowHash").set("Columns", COLUMNS).set("Row Source", "Delimited Content")
                .set("Delimiter", "\\t").set("Quoting", "None").set("Header", COLUMNS);
        final Component json = Component.of("ComputeRowHash").set("Columns", COLUMNS).set("Row Source", "NDJSON Content");
        final Source delimited = Source.write(nifi.data("benchmark").resolve("calls.log"), lines, NasCall::line);
        wholeFile("whole file, Delimited Content", delimited, text, false);
        wholeFile("whole file, Delimited Content", delimited, text, true);
        final Source objects = Source.write(nifi.data("benchmark").resolve("calls.ndjson"), lines, LoadLogBenchmark::json);
        wholeFile("whole file, NDJSON Content", objects, json, false);
        wholeFile("whole file, NDJSON Content", objects, json, true);
    }

    private void lines(final int lines) throws IOException {
        final Source some = Source.write(nifi.data("benchmark").resolve("some.log"), lines, NasCall::line);
        lineByLine(some, false);
        lineByLine(some, true);
    }

    private void manyLines(final int lines) throws IOException {
        lineByLine(Source.write(nifi.data("benchmark").resolve("many.log"), lines, NasCall::line), true);
    }

    private static String json(final NasCall call) {
        try {
            return NifiClient.JSON.writeValueAsString(call.byColumn());
        } catch (final IOException e) {
            throw new RuntimeFailure("Not JSON: " + call, e);
        }
    }

    private void wholeFile(final String name, final Source source, final Component hash, final boolean log) {
        final Run run = new Run(name, source, log);
        final FlowProcessor hashed = run.then("success", hash);
        final FlowProcessor sink = run.sink();
        run.failure(hashed, "failure");
        run.failure(sink, "failure");
        run.end();
    }

    private void lineByLine(final Source source, final boolean log) {
        final Run run = new Run("line by line, SplitText twice", source, log);
        run.then("success", Component.of("SplitText").named("chunks").set("Line Split Count", "1000").autoTerminate("original", "failure"));
        final FlowProcessor lines = run.then("splits", Component.of("SplitText").named("lines").set("Line Split Count", "1")
                .autoTerminate(log ? new String[] {"failure"} : new String[] {"original", "failure"}));
        final FlowProcessor parse = run.then("splits", Component.of("ExtractText").set("f", LINE)
                .set("Include Capture Group 0", "false").set("Maximum Capture Group Length", "1048576"));
        run.then("matched", Component.of("UpdateAttribute").named("columns").set(NasCall.COLUMNS.stream().collect(Collectors
                .toMap(column -> column, column -> "${f." + (NasCall.COLUMNS.indexOf(column) + 1) + "}"))));
        final FlowProcessor hashed = run.then("success", Component.of("ComputeRowHash").set("Columns", COLUMNS));
        run.then("success", Component.of("AttributesToJSON").set("Attributes List", String.join(",", NasCall.TABLE_COLUMNS))
                .set("Destination", "flowfile-content").autoTerminate("failure"));
        final FlowProcessor sink = run.sink();
        if (log) {
            run.into(lines, "original", Component.of("UpdateAttribute").named("the chunk was split").set("load.outcome", "declared"));
        }
        run.into(parse, "unmatched", Component.of("UpdateAttribute").named("no match").set("error_processor", "ExtractText"));
        run.failure(hashed, "failure");
        run.failure(sink, "failure");
        run.end();
    }

    /** A file, and what must become of it. */
    private record Source(Path file, int lines, int broken, int rows) {
        /** Writes lines, some of which are broken; the same ones for each format. */
        static Source write(final Path file, final int lines, final Function<NasCall, String> format) throws IOException {
            final Set<String> hashes = new HashSet<>();
            int broken = 0;
            try (BufferedWriter writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
                for (int line = 0; line < lines; line++) {
                    final List<NasCall> calls = SampleLog.calls(SEED + line, Math.min(CALLS_AT_ONCE, lines - line));
                    for (int i = 0; i < calls.size(); i++) {
                        final boolean isBroken = (line + i + 1) % BROKEN_EVERY == 0;
                        broken += isBroken ? 1 : 0;
                        if (!isBroken) {
                            hashes.add(calls.get(i).referenceHash());
                        }
                        writer.write(isBroken ? "broken" : format.apply(calls.get(i)));
                        writer.write('\n');
                    }
                    line += calls.size() - 1;
                }
            }
            return new Source(file, lines, broken, hashes.size());
        }
    }

    /** A flow under construction, then at work. */
    private final class Run {
        private final String name;
        private final Source source;
        private final boolean log;
        private final NasCallTable table = NasCallTable.create(kudu);
        private final LoadLogTables tables = LoadLogTables.create(kudu);
        private final Flow flow;
        private final FlowProcessor start;
        private final String reader;
        private final FlowProcessor emit;
        private FlowProcessor last;
        private FlowProcessor sink;
        private long heap;

        private Run(final String name, final Source source, final boolean log) {
            this.name = name + (log ? ", with the log" : "");
            this.source = source;
            this.log = log;
            flow = Flow.create(nifi.client(), this.name + " " + runs++);
            reader = flow.enable(Component.of("JsonTreeReader"));
            emit = log ? emit() : null;
            start = flow.add(Component.of("GenerateFlowFile").every("1 day").set(BATCH)
                    .set("absolute.path", source.file().getParent().toString())
                    .set("filename", source.file().getFileName().toString()));
            last = start;
            then("success", Component.of("FetchFile").autoTerminate("not.found", "permission.denied", "failure"));
        }

        private FlowProcessor emit() {
            final FlowProcessor added = flow.add(Component.of("EmitLoadLog").autoTerminate("success"));
            flow.keep(added, "not logged", "failure");
            for (final Table of : Table.values()) {
                final FlowProcessor write = flow.add(Component.of("UpsertKudu").named(of.kuduName())
                        .set("Kudu Masters", kudu.masters()).set("Table Name", of.kuduName()).set("Record Reader", reader)
                        .autoTerminate("success"));
                flow.connect(added, write, of == Table.MASTER ? "master" : "detail");
                flow.connect(write, write, "retry");
                flow.keep(write, "not written", "failure");
            }
            return added;
        }

        private FlowProcessor then(final String relationship, final Component component) {
            final FlowProcessor next = flow.add(component);
            flow.connect(last, next, relationship);
            last = next;
            return next;
        }

        private FlowProcessor sink() {
            sink = then("success", Component.of("UpsertKudu").set("Kudu Masters", kudu.masters())
                    .set("Table Name", NasCallTable.NAME).set("Record Reader", reader)
                    .autoTerminate(log ? new String[0] : new String[] {"success"}));
            flow.connect(sink, sink, "retry");
            if (log) {
                flow.connect(sink, emit, "success");
            }
            return sink;
        }

        /** What fails goes to the log, or is kept where there is none. */
        private void failure(final FlowProcessor processor, final String relationship) {
            if (log) {
                flow.connect(processor, emit, relationship);
            } else {
                flow.keep(processor, "failed", relationship);
            }
        }

        private void into(final FlowProcessor from, final String relationship, final Component component) {
            final FlowProcessor added = flow.add(component);
            flow.connect(from, added, relationship);
            failure(added, "success");
        }

        private void end() {
            flow.startAllBut(Set.of(start.name()));
            final long began = System.nanoTime();
            start.runOnce();
            final long good = source.lines() - source.broken();
            Await.until(name + " to load " + source.lines() + " lines", DEADLINE,
                    () -> noteHeap() && sink.counters().getOrDefault("Rows Loaded", 0L) >= good && isIdle(),
                    () -> "where FlowFiles are: " + flow.queued());
            final double seconds = (System.nanoTime() - began) / 1e9;
            check(good);
            results.merge(name + " " + source.lines(), new Result(name, source.lines(), seconds, source.lines() / seconds,
                    heap >> 20), (before, now) -> before.seconds() < now.seconds() ? before : now);
            System.out.printf("%-50s %8d lines %8.1f s %10.0f lines/s, most heap %d MB%n", name, source.lines(), seconds,
                    source.lines() / seconds, heap >> 20);
            flow.stop();
        }

        /** What is in the heap, garbage too; always true. */
        private boolean noteHeap() {
            heap = Math.max(heap, nifi.client().get("/system-diagnostics").path("systemDiagnostics").path("aggregateSnapshot")
                    .path("usedHeapBytes").asLong());
            return true;
        }

        private boolean isIdle() {
            return flow.queued().entrySet().stream().allMatch(queue -> queue.getValue() == 0 || queue.getKey().equals("failed"));
        }

        private void check(final long good) {
            if (table.count() != source.rows()) {
                throw new RuntimeFailure(name + ": " + table.count() + " rows are in the table, not " + source.rows());
            }
            if (!log) {
                return;
            }
            final String expected = (source.broken() == 0 ? "SUCCESS " : "PARTIAL ") + source.lines() + " = " + good + " + "
                    + source.broken();
            Await.until("the log to say " + expected, Flow.DEADLINE, () -> masters().equals(List.of(expected)),
                    () -> masters().toString());
            final int details = tables.rows(Table.DETAIL).size();
            if (details != source.broken()) {
                throw new RuntimeFailure(name + ": " + details + " rows are in load_log_detail, not " + source.broken());
            }
            System.out.println("    the log: " + expected + ", counters " + emit.counters());
        }

        private List<String> masters() {
            return tables.rows(Table.MASTER).stream().map(row -> row.get("status") + " " + row.get("src_count") + " = "
                    + row.get("load_count") + " + " + row.get("error_count")).toList();
        }
    }

    private record Result(String flow, int lines, double seconds, double linesPerSecond, long heapMegabytes) {
    }
}
