package dev.rowhash.runtime;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.rowhash.runtime.NasCallTable.StoredCall;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * UpsertKudu against PutKudu 1.21 on the same NiFi 1.18.0, into the same Kudu, in turn. Three loads: whole files of rows
 * with ready hashes; today's flow, line by line with its script, where only the sink is swapped; and the same lines where
 * they already wait before the sink, so that the sink alone is measured.
 *
 * <pre>SinkBenchmark [ROUNDS]</pre>
 */
public final class SinkBenchmark {
    private static final int ROWS = 100_000;
    private static final int LINES = 10_000;
    private static final int DEFAULT_ROUNDS = 3;
    private static final Duration DEADLINE = Duration.ofSeconds(600);
    private static final String SCRIPT = "groovy-compat/src/main/groovy/row_hash.groovy";

    private final NifiServer nifi;
    private final KuduServer kudu;
    private final Map<String, List<Double>> seconds = new LinkedHashMap<>();

    private SinkBenchmark(final NifiServer nifi, final KuduServer kudu) {
        this.nifi = nifi;
        this.kudu = kudu;
    }

    public static void main(final String[] arguments) {
        final int rounds = arguments.length == 0 ? DEFAULT_ROUNDS : Integer.parseInt(arguments[0]);
        try (KuduServer kudu = KuduServer.start();
                NifiServer nifi = NifiServer.of(NifiVersion.V1_18_0).extension(Project.nar()).extension(Project.kuduNar())
                        .jvmArguments("-Xmx2g").start()) {
            new SinkBenchmark(nifi, kudu).run(rounds);
        }
        System.exit(0);
    }

    private void run(final int rounds) {
        final List<String> rows = SampleLog.calls(1, ROWS).stream().map(SinkBenchmark::json).toList();
        final List<NasCall> lines = SampleLog.calls(2, LINES);
        for (int round = 0; round < rounds; round++) {
            wholeFile("PutKudu, its defaults", NasCallFlow.putKudu(), rows, round);
            wholeFile("PutKudu, Max Records per Batch 1000", NasCallFlow.putKudu().set("Max Records per Batch", "1000"), rows, round);
            wholeFile("UpsertKudu, its defaults", Component.of("UpsertKudu"), rows, round);
            lineByLine("PutKudu, its defaults", NasCallFlow.putKudu(), lines, round);
            lineByLine("UpsertKudu, its defaults", Component.of("UpsertKudu"), lines, round);
            sinkAlone("PutKudu, its defaults", NasCallFlow.putKudu(), lines, round);
            sinkAlone("UpsertKudu, its defaults", Component.of("UpsertKudu"), lines, round);
        }
        seconds.forEach((name, times) -> System.out.printf("%-60s best %8.2f s of %s%n", name,
                times.stream().mapToDouble(Double::doubleValue).min().orElseThrow(), times));
    }

    private void wholeFile(final String name, final Component sink, final List<String> rows, final int round) {
        final NasCallTable table = NasCallTable.create(kudu);
        final String id = "whole file " + round + " " + name;
        final Path inbox = nifi.data("whole-" + round + "-" + seconds.size());
        final Flow flow = Flow.create(nifi.client(), id);
        final String reader = flow.enable(Component.of("JsonTreeReader"));
        final FlowProcessor files = flow.add(Component.of("GetFile").set("Input Directory", inbox.toString())
                .set("Keep Source File", "false").every("100 ms"));
        final FlowProcessor last = flow.add(sink.set("Kudu Masters", kudu.masters()).set("Table Name", NasCallTable.NAME)
                .set("Record Reader", reader));
        flow.connect(files, last, "success");
        if (sink.type().equals("UpsertKudu")) {
            flow.connect(last, last, "retry");
        }
        final FlowQueue failed = flow.keep(last, "failed", "failure");
        final FlowQueue done = flow.keep(last, "done", "success");
        flow.start();
        final Path unfinished = inbox.resolveSibling(inbox.getFileName() + ".ndjson");
        write(unfinished, rows);
        final long start = System.nanoTime();
        move(unfinished, inbox.resolve("rows.ndjson"));
        Await.until(id, DEADLINE, () -> done.size() + failed.size() > 0);
        note("whole file of " + ROWS + " rows, " + name, start);
        if (failed.size() > 0 || table.count() != rows.stream().distinct().count()) {
            throw new RuntimeFailure(id + ": " + table.count() + " rows are in the table");
        }
        flow.stop();
    }

    private void lineByLine(final String name, final Component sink, final List<NasCall> lines, final int round) {
        final NasCallTable table = NasCallTable.create(kudu);
        final NasCallFlow flow = flow("lines " + round + " " + name, sink);
        final long start = System.nanoTime();
        flow.load(lines);
        note("today's flow, " + LINES + " lines, " + name, start);
        end(flow, table, lines, name);
    }

    private void sinkAlone(final String name, final Component sink, final List<NasCall> lines, final int round) {
        final NasCallTable table = NasCallTable.create(kudu);
        final NasCallFlow flow = flow("sink alone " + round + " " + name, sink);
        flow.queueUp(lines);
        final long start = System.nanoTime();
        flow.workOff(lines.size());
        note("the sink alone, " + LINES + " FlowFiles of a line, " + name, start);
        end(flow, table, lines, name);
    }

    private NasCallFlow flow(final String name, final Component sink) {
        return NasCallFlow.intoKudu(nifi, kudu, name, NasCallFlow.groovyScript(Project.root().resolve(SCRIPT)), sink);
    }

    private static void end(final NasCallFlow flow, final NasCallTable table, final List<NasCall> lines, final String name) {
        if (table.count() != lines.stream().distinct().count()) {
            throw new RuntimeFailure(name + ": " + table.count() + " rows are in the table");
        }
        flow.stop();
        flow.queue(NasCallFlow.DONE).empty(); // the next one is to have all of the memory too
    }

    private void note(final String name, final long start) {
        final double time = (System.nanoTime() - start) / 1e9;
        seconds.computeIfAbsent(name, key -> new ArrayList<>()).add(Math.round(time * 100) / 100.0);
        System.out.printf("%-60s      %8.2f s%n", name, time);
    }

    private static String json(final NasCall call) {
        try {
            return NifiClient.JSON.writeValueAsString(StoredCall.of(call));
        } catch (final JsonProcessingException e) {
            throw new RuntimeFailure("Not JSON: " + call, e);
        }
    }

    private static void write(final Path file, final List<String> lines) {
        try {
            Files.write(file, lines, StandardCharsets.UTF_8);
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot write " + file, e);
        }
    }

    private static void move(final Path from, final Path to) {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot move " + from, e);
        }
    }
}
