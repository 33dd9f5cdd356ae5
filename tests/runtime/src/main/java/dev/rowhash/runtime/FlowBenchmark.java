package dev.rowhash.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Lines a second from a file into a real Kudu, by each flow that can load it, on one NiFi in one run. After each run
 * every row of the table must have the hash that an independent implementation gives.
 *
 * <pre>FlowBenchmark --nar FILE --groovy FILE --report FILE [--lines N] [--whole-file-lines N]</pre>
 */
public final class FlowBenchmark {
    private static final long SEED = 20260302L;
    private static final Duration DEADLINE = Duration.ofMinutes(20);
    private static final String WHOLE_FILE_BATCH = "1000";
    private static final String HASH = NasCall.ROW_HASH;
    /** Record path of a column as the canonical form has it; the files below have "" in this column only. */
    private static final String EMPTY_KEY = "clickid";

    private final NifiServer nifi;
    private final KuduServer kudu;
    private final Options options;
    private final List<Result> results = new ArrayList<>();

    private FlowBenchmark(final NifiServer nifi, final KuduServer kudu, final Options options) {
        this.nifi = nifi;
        this.kudu = kudu;
        this.options = options;
    }

    public static void main(final String[] arguments) throws IOException {
        final Options options = Options.parse(arguments);
        try (KuduServer kudu = KuduServer.start();
                NifiServer nifi = NifiServer.of(NifiVersion.V1_18_0).extension(options.nar()).jvmArguments("-Xmx2g").start()) {
            final FlowBenchmark benchmark = new FlowBenchmark(nifi, kudu, options);
            benchmark.lineFlows();
            benchmark.wholeFileFlows();
            Files.createDirectories(options.report().toAbsolutePath().getParent());
            NifiClient.JSON.writerWithDefaultPrettyPrinter().writeValue(options.report().toFile(), benchmark.results);
        }
    }

    /** The flow of today: one FlowFile a line, every processor with its defaults. */
    private void lineFlows() {
        final List<NasCall> calls = SampleLog.calls(SEED, options.lines());
        lineFlow("eight processors, Groovy script", calls, NasCallFlow.groovyScript(options.groovy()));
        lineFlow("eight processors, ComputeRowHash", calls, NasCallFlow.computeRowHash());
    }

    private void lineFlow(final String name, final List<NasCall> calls, final Component hash) {
        final NasCallTable table = NasCallTable.create(kudu);
        final NasCallFlow flow = NasCallFlow.intoKudu(nifi, kudu, name, hash);
        final long start = System.nanoTime();
        flow.load(calls);
        record(name, calls, start, table);
        flow.stop();
    }

    private void wholeFileFlows() throws IOException {
        final List<NasCall> calls = SampleLog.calls(SEED, options.wholeFileLines());
        final Path folder = nifi.data("benchmark");
        final Path text = folder.resolve("calls.log");
        SampleLog.write(text, calls);
        final Path rows = folder.resolve("calls.ndjson");
        writeJson(rows, calls, call -> null);
        final Path hashed = folder.resolve("hashed.ndjson");
        writeJson(hashed, calls, NasCall::referenceHash);
        final String columns = String.join(",", NasCall.COLUMNS);

        wholeFile("PutKudu alone, hashes in the file", calls, hashed, List.of());
        wholeFile("UpdateRecord with hash()", calls, rows, List.of(records(updateRecord())));
        wholeFile("ComputeRowHash, Records", calls, rows, List.of(records(Component.of("ComputeRowHash")
                .set("Columns", columns).set("Row Source", "Records"))));
        wholeFile("ComputeRowHash, NDJSON Content", calls, rows, List.of(flow -> Component.of("ComputeRowHash")
                .set("Columns", columns).set("Row Source", "NDJSON Content")));
        wholeFile("ComputeRowHash, Delimited Content", calls, text, List.of(flow -> Component.of("ComputeRowHash")
                .set("Columns", columns).set("Row Source", "Delimited Content")
                .set("Delimiter", "\\t").set("Quoting", "None").set("Header", columns)));
    }

    static Component updateRecord() {
        final String values = NasCall.COLUMNS.stream().sorted()
                .map(column -> column.equals(EMPTY_KEY) ? "replaceRegex(/" + column + ",'^$','\\\\N')"
                        : "replaceNull(/" + column + ",'\\N')")
                .collect(Collectors.joining(",'|',"));
        return Component.of("UpdateRecord").set("Replacement Value Strategy", "record-path-value")
                .set("/" + HASH, "hash(concat(" + values + "),'MD5')");
    }

    /** Gives a step that works on records its reader and writer. */
    static Function<Flow, Component> records(final Component step) {
        return flow -> step.set("Record Reader", flow.enable(Component.of("JsonTreeReader")
                        .set("Schema Access Strategy", "schema-text-property").set("Schema Text", schema(NasCall.COLUMNS))))
                .set("Record Writer", flow.enable(Component.of("JsonRecordSetWriter")
                        .set("Schema Access Strategy", "schema-text-property")
                        .set("Schema Text", schema(NasCall.TABLE_COLUMNS)).set("Output Grouping", "output-oneline")));
    }

    private void wholeFile(final String name, final List<NasCall> calls, final Path file,
            final List<Function<Flow, Component>> steps) {
        final NasCallTable table = NasCallTable.create(kudu);
        final Flow flow = Flow.create(nifi.client(), name);
        final FlowProcessor source = flow.add(Component.of("GenerateFlowFile").every("1 day")
                .set("absolute.path", file.getParent().toString()).set("filename", file.getFileName().toString()));
        FlowProcessor last = flow.add(Component.of("FetchFile"));
        flow.connect(source, last, "success");
        flow.keep(last, "not fetched", "not.found", "permission.denied", "failure");
        for (final Function<Flow, Component> step : steps) {
            last = then(flow, last, step.apply(flow));
        }
        last = then(flow, last, Component.of("PutKudu").set("Kudu Masters", kudu.masters())
                .set("Table Name", NasCallTable.NAME).set("Insert Operation", "UPSERT")
                .set("Max Records per Batch", WHOLE_FILE_BATCH)
                .set("Record Reader", flow.enable(Component.of("JsonTreeReader")
                        .set("Schema Access Strategy", "schema-text-property")
                        .set("Schema Text", schema(NasCall.TABLE_COLUMNS)))));
        final FlowQueue done = flow.keep(last, "done", "success");
        flow.startAllBut(Set.of(source.name()));
        final long start = System.nanoTime();
        source.runOnce();
        Await.until(file.getFileName() + " to be loaded by " + name, DEADLINE, () -> done.size() == 1,
                () -> "where FlowFiles are: " + flow.queued());
        record(name, calls, start, table);
        flow.stop();
    }

    private static FlowProcessor then(final Flow flow, final FlowProcessor last, final Component component) {
        final FlowProcessor next = flow.add(component);
        flow.connect(last, next, "success");
        flow.keep(next, "refused by " + next.name(), "failure");
        return next;
    }

    private void record(final String name, final List<NasCall> calls, final long start, final NasCallTable table) {
        final double seconds = (System.nanoTime() - start) / 1e9;
        final Set<String> expected = calls.stream().map(NasCall::referenceHash).collect(Collectors.toSet());
        final Set<String> stored = table.rows().stream().map(NasCallTable.StoredCall::rowHash).collect(Collectors.toSet());
        if (!stored.equals(expected)) {
            throw new RuntimeFailure(name + " stored " + stored.size() + " different hashes instead of " + expected.size()
                    + ", or others");
        }
        results.add(new Result(name, calls.size(), seconds, calls.size() / seconds));
        System.out.printf("%-40s %8d lines %8.1f s %10.0f lines/s%n", name, calls.size(), seconds, calls.size() / seconds);
    }

    private static String schema(final List<String> columns) {
        final JsonNode fields = NifiClient.JSON.valueToTree(columns.stream()
                .map(column -> Map.of("name", column, "type", List.of("null", "string"))).toList());
        return NifiClient.JSON.valueToTree(Map.of("type", "record", "name", "call", "fields", fields)).toString();
    }

    static void writeJson(final Path file, final List<NasCall> calls, final Function<NasCall, String> hash)
            throws IOException {
        try (BufferedWriter writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
            for (final NasCall call : calls) {
                final Map<String, String> row = new LinkedHashMap<>(call.byColumn());
                row.replaceAll((column, value) -> value.isEmpty() && !column.equals(EMPTY_KEY) ? null : value);
                final String rowHash = hash.apply(call);
                if (rowHash != null) {
                    row.put(HASH, rowHash);
                }
                writer.write(NifiClient.JSON.writeValueAsString(row));
                writer.write('\n');
            }
        }
    }

    private record Result(String flow, int lines, double seconds, double linesPerSecond) {
    }

    private record Options(Path nar, Path groovy, Path report, int lines, int wholeFileLines) {
        static Options parse(final String[] arguments) {
            final Map<String, String> values = new LinkedHashMap<>(Map.of("--lines", "10000", "--whole-file-lines", "200000"));
            for (int i = 0; i + 1 < arguments.length; i += 2) {
                values.put(arguments[i], arguments[i + 1]);
            }
            return new Options(Path.of(values.get("--nar")), Path.of(values.get("--groovy")), Path.of(values.get("--report")),
                    Integer.parseInt(values.get("--lines")), Integer.parseInt(values.get("--whole-file-lines")));
        }
    }
}
