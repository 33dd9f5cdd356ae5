package dev.rowhash.runtime;

import dev.rowhash.runtime.LoadLogTables.Table;
import dev.rowhash.runtime.LoadScenario.Count;
import dev.rowhash.runtime.LoadScenario.Step;
import dev.rowhash.runtime.NasCallTable.StoredCall;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The demo: the flow of production with ComputeRowHash on a real NiFi, 1.18.0 with PutKudu or 2.3.0 with UpsertKudu, loading into a real Kudu; then the flow
 * definition with the load log, with broken lines, their repair and their replay.
 *
 * <pre>Demo [--nifi 1|2] [--nar FILE] [--kudu-nar FILE] [--report FILE] [--exit]</pre>
 */
public final class Demo {
    private static final String LOAD_LOG_GROUP = "nas-to-kudu";
    private static final String DEFAULT_REPORT = "target/demo/report.json";
    private static final int WIDEST_VALUE = 32;
    private static final List<String> MASTER_COLUMNS = List.of("base_dts", "status", "src_count", "load_count",
            "error_count", "start_ts", "end_ts");
    private static final List<String> DETAIL_COLUMNS = List.of("base_dts", "detail_seq", "status", "retry_count",
            "error_processor", "error_message", "file_name", "line_content", "record_key");
    private static final List<String> SHOWN_COLUMNS = List.of("ts", "epid", "clickid", "devicetype", "output");

    private final PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    private final Options options;
    private final List<Step> steps = new ArrayList<>();
    private final List<LoadLogScenario.Step> logSteps = new ArrayList<>();
    private final Instant started = Instant.now();

    private Demo(final Options options) {
        this.options = options;
    }

    public static void main(final String[] arguments) {
        final Options options;
        try {
            options = Options.parse(arguments);
        } catch (final IllegalArgumentException e) {
            System.err.println("error: " + e.getMessage() + "\nusage: Demo [--nifi 1|2] [--nar FILE] [--kudu-nar FILE]"
                    + " [--report FILE] [--exit]");
            System.exit(2);
            return;
        }
        System.exit(new Demo(options).run() ? 0 : 1);
    }

    private boolean run() {
        try {
            out.println("Starting Kudu");
            try (KuduServer kudu = KuduServer.start()) {
                final NasCallTable table = NasCallTable.create(kudu);
                final NifiServer.Builder builder = NifiServer.of(options.nifi());
                options.nars().forEach(builder::extension);
                out.println("Starting NiFi " + options.nifi() + " with " + narNames() + " (half a minute or more)");
                try (NifiServer nifi = builder.start()) {
                    final NasCallFlow flow = NasCallFlow.intoKudu(nifi, kudu, "demo", NasCallFlow.computeRowHash());
                    out.println("The flow is at " + nifi.page() + ", the table is " + NasCallTable.NAME);
                    new LoadScenario(flow, table).run(this::show);
                    runLoadLog(nifi, kudu, table);
                    final List<String> failures = failures();
                    writeReport(nifi, failures);
                    return finish(nifi, failures);
                }
            }
        } catch (final RuntimeFailure e) {
            e.printStackTrace(out);
            out.println("demo: FAILED: " + e.getMessage().lines().findFirst().orElse("no reason given"));
            return false;
        }
    }

    private String narNames() {
        return options.nars().stream().map(nar -> nar.getFileName().toString()).collect(Collectors.joining(" and "));
    }

    private void runLoadLog(final NifiServer nifi, final KuduServer kudu, final NasCallTable table) {
        final LoadLogFlow flow = LoadLogFlow.upload(nifi, kudu, LoadLogTables.create(kudu), LOAD_LOG_GROUP, Map.of());
        out.println();
        out.println("Beside it " + LoadLogFlow.definition(nifi.version()) + " is imported: the same load with its log, load_log_master and"
                + " load_log_detail");
        new LoadLogScenario(flow, table).run(this::show);
    }

    private boolean finish(final NifiServer nifi, final List<String> failures) {
        if (!failures.isEmpty()) {
            out.println("Logs: " + nifi.logs());
            failures.forEach(failure -> out.println("wrong: " + failure));
            out.println("demo: FAILED: " + failures.size() + " wrong counts, see above");
            return false;
        }
        if (!options.exit()) {
            out.println();
            out.println("NiFi stays up to be looked at: " + nifi.page());
            out.println("Enter or Ctrl-C stops it.");
        }
        out.println("demo: ok");
        if (!options.exit()) {
            awaitEnter();
        }
        return true;
    }

    /** A closed stdin is no wish to stop: then only a signal ends the demo. */
    private static void awaitEnter() {
        try {
            if (System.in.read() == -1) {
                new CountDownLatch(1).await();
            }
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot read from stdin", e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void show(final Step step) {
        steps.add(step);
        out.println();
        out.printf("== Step %d: %s (%d lines, %d of them distinct; %.1f s)%n", steps.size(), step.title(), step.lines(),
                step.distinctLines(), step.seconds());
        out.println("   " + step.meaning());
        counts(step).forEach((name, count) -> out.printf("   %-22s %5d   expected %5d   %s%n", name, count.actual(),
                count.expected(), count.ok() ? "ok" : "WRONG"));
        step.rejects().forEach((queue, size) -> out.printf("   %-22s %5d   expected %5d   WRONG%n", queue, size, 0));
        table(step.shown()).forEach(line -> out.println("   " + line));
    }

    private void show(final LoadLogScenario.Step step) {
        logSteps.add(step);
        out.println();
        out.printf("== Step %d: %s (%.1f s)%n", steps.size() + logSteps.size(), step.title(), step.seconds());
        out.println("   " + step.meaning());
        step.checks().forEach(check -> out.printf("   %-22s %5s   expected %5s   %s%n", check.name(), check.actual(),
                check.expected(), check.ok() ? "ok" : "WRONG"));
        out.println("   " + Table.MASTER.kuduName());
        table(MASTER_COLUMNS, step.masters()).forEach(line -> out.println("   " + line));
        out.println("   " + Table.DETAIL.kuduName());
        table(DETAIL_COLUMNS, step.details()).forEach(line -> out.println("   " + line));
    }

    private static List<String> table(final List<String> columns, final List<Map<String, Object>> rows) {
        final TextTable table = new TextTable(WIDEST_VALUE, columns);
        rows.forEach(row -> table.add(columns.stream().map(column -> text(row.get(column))).toList()));
        return table.lines();
    }

    /** A tab would break the columns. */
    private static String text(final Object cell) {
        return cell == null ? "NULL" : cell.toString().replace('\t', ' ');
    }

    private static Map<String, Count> counts(final Step step) {
        final Map<String, Count> counts = new LinkedHashMap<>();
        counts.put("new rows", step.newRows());
        counts.put("rows in the table", step.rows());
        counts.put("rows missing", step.missing());
        counts.put("rows with a wrong hash", step.wrongHashes());
        return counts;
    }

    private static List<String> table(final List<StoredCall> rows) {
        final TextTable table = new TextTable(WIDEST_VALUE,
                Stream.concat(SHOWN_COLUMNS.stream(), Stream.of(NasCall.ROW_HASH)).toList());
        for (final StoredCall row : rows) {
            final List<String> values = new ArrayList<>(SHOWN_COLUMNS.stream().map(row.call()::value).toList());
            values.add(row.rowHash());
            table.add(values);
        }
        return table.lines();
    }

    private List<String> failures() {
        final List<String> failures = new ArrayList<>();
        for (final Step step : steps) {
            counts(step).forEach((name, count) -> {
                if (!count.ok()) {
                    failures.add(step.title() + ": " + name + " " + count.actual() + ", expected " + count.expected());
                }
            });
            step.rejects().forEach((queue, size) -> failures.add(step.title() + ": " + size + " " + queue));
        }
        for (final LoadLogScenario.Step step : logSteps) {
            step.checks().stream().filter(check -> !check.ok()).forEach(check -> failures.add(step.title() + ": "
                    + check.name() + " " + check.actual() + ", expected " + check.expected()));
        }
        return failures;
    }

    private void writeReport(final NifiServer nifi, final List<String> failures) {
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("result", failures.isEmpty() ? "ok" : "FAILED");
        report.put("failures", failures);
        report.put("started", started.toString());
        report.put("ended", Instant.now().toString());
        report.put("nifi", nifi.client().version());
        report.put("nar", narNames());
        report.put("table", NasCallTable.NAME);
        report.put("steps", steps);
        report.put("loadLogSteps", logSteps);
        try {
            Files.createDirectories(options.report().toAbsolutePath().getParent());
            NifiClient.JSON.writerWithDefaultPrettyPrinter().writeValue(options.report().toFile(), report);
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot write the report " + options.report(), e);
        }
        out.println();
        out.println("Report: " + options.report());
    }

    private record Options(NifiVersion nifi, List<Path> nars, Path report, boolean exit) {
        static Options parse(final String[] arguments) {
            NifiVersion nifi = NifiVersion.V1_18_0;
            Path nar = null;
            Path kuduNar = null;
            Path report = null;
            boolean exit = false;
            for (int i = 0; i < arguments.length; i++) {
                switch (arguments[i]) {
                    case "--nifi" -> nifi = nifi(value(arguments, ++i));
                    case "--nar" -> nar = file(arguments, ++i);
                    case "--kudu-nar" -> kuduNar = file(arguments, ++i);
                    case "--report" -> report = file(arguments, ++i);
                    case "--exit" -> exit = true;
                    default -> throw new IllegalArgumentException("unknown option " + arguments[i]);
                }
            }
            final List<Path> nars = new ArrayList<>(List.of(nar == null ? Project.nar() : nar));
            if (!nifi.hasPutKudu()) {
                nars.add(kuduNar == null ? Project.kuduNar() : kuduNar);
            }
            return new Options(nifi, nars, report == null ? Project.root().resolve(DEFAULT_REPORT) : report, exit);
        }

        private static NifiVersion nifi(final String major) {
            return switch (major) {
                case "1" -> NifiVersion.V1_18_0;
                case "2" -> NifiVersion.V2_3_0;
                default -> throw new IllegalArgumentException("--nifi is 1 or 2, not " + major);
            };
        }

        private static String value(final String[] arguments, final int index) {
            if (index == arguments.length) {
                throw new IllegalArgumentException(arguments[index - 1] + " needs a value");
            }
            return arguments[index];
        }

        private static Path file(final String[] arguments, final int index) {
            return Path.of(value(arguments, index)).toAbsolutePath();
        }
    }
}
