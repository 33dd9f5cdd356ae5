package dev.rowhash.runtime;

import dev.rowhash.runtime.NasCallTable.StoredCall;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** What the load log promises: broken lines, an empty and a removed file, a repair, and only the failures again. */
public final class LoadLogScenario {
    private static final long SEED = 20260303L;
    private static final int GOOD = 100;
    private static final int CHANGED = 3;
    private static final int REMOVED = 20;
    /** One more than fits into Kudu's cell. */
    private static final int TOO_LONG = 65_537;

    private static final String BROKEN_FILE = "broken.log";
    private static final String HOPELESS_FILE = "hopeless.log";
    private static final String REMOVED_FILE = "removed.log";

    private final LoadLogFlow flow;
    private final NasCallTable table;
    private final Set<StoredCall> expected;
    private final Map<String, Object> batches = new LinkedHashMap<>();
    private final Map<String, String> masters = new LinkedHashMap<>();
    private final List<NasCall> calls = SampleLog.calls(SEED, GOOD + CHANGED + REMOVED + 2);
    private long hashedBefore;

    public LoadLogScenario(final LoadLogFlow flow, final NasCallTable table) {
        this.flow = flow;
        this.table = table;
        this.expected = new LinkedHashSet<>(table.rows());
    }

    /** Runs all steps; each is handed over as soon as it is done. */
    public void run(final Consumer<Step> done) {
        final List<NasCall> good = calls.subList(0, GOOD);
        final List<NasCall> changed = calls.subList(GOOD, GOOD + CHANGED);
        final List<NasCall> removed = calls.subList(GOOD + CHANGED, GOOD + CHANGED + REMOVED);
        final NasCall beside = calls.get(GOOD + CHANGED + REMOVED);
        final NasCall repaired = calls.get(GOOD + CHANGED + REMOVED + 1);
        final NasCall tooLong = repaired.with("output", "가".repeat(TOO_LONG / 3 + 1));
        final String hopeless = "this is no line of the log";
        flow.start();

        done.accept(step("load a file with " + (CHANGED + 1) + " broken lines",
                "the log holds each with its reason and, if it fits into a cell, its content", () -> {
                    load(BROKEN_FILE, "PARTIAL", GOOD + CHANGED + 1, GOOD, broken(good, changed, tooLong));
                    expect(good);
                }, GOOD + 1));
        done.accept(step("load a file with a line that nothing can repair", "it will fail until its retries are used up", () -> {
            load(HOPELESS_FILE, "PARTIAL", 2, 1, List.of(beside.line(), hopeless));
            expect(List.of(beside));
        }, 1));
        done.accept(step("load an empty file and one of blank lines", "there was nothing to load, and nothing is missing", () -> {
            load("empty.log", "SUCCESS", 0, 0, List.of());
            load("blank.log", "SUCCESS", 0, 0, List.of("", "", ""));
        }, 0));
        done.accept(step("load a file that is removed before it is read", "the file itself has failed: detail_seq is below zero",
                () -> batch(REMOVED_FILE, flow.loadRemoved(REMOVED_FILE, lines(removed)), "FAIL", 1, 0), 0));
        done.accept(step("replay before the causes are repaired",
                "only the failures run again, and fail again: retry_count is 1", flow::replay, 1));
        done.accept(step("repair the causes and replay", "PARTIAL and FAIL become SUCCESS; nothing else is loaded again", () -> {
            flow.repairPattern(LoadLogFlow.pattern(NasCall.COLUMNS.size(), "(?:\\t.*)?"));
            flow.repair(BROKEN_FILE, broken(good, changed, repaired));
            flow.repair(REMOVED_FILE, lines(removed));
            flow.replay();
            masters.put(BROKEN_FILE, counts("SUCCESS", GOOD + CHANGED + 1, GOOD + CHANGED + 1));
            masters.put(REMOVED_FILE, counts("SUCCESS", REMOVED, REMOVED));
            expect(changed);
            expect(List.of(repaired));
            expect(removed);
        }, CHANGED + 1 + REMOVED));
        done.accept(step("replay what is left", "the line has failed three times: retry_count is 3", flow::replay, 0));
        done.accept(step("ask for it once more", "the line goes to the queue 'exhausted', for a person to look at", () -> {
            flow.replayWhateverFailed();
            flow.queue(LoadLogFlow.EXHAUSTED).awaitSize(1);
        }, 0));
    }

    private static List<String> broken(final List<NasCall> good, final List<NasCall> changed, final NasCall last) {
        return Stream.of(lines(good), changed.stream().map(call -> call.line() + "\ta column more").toList(),
                List.of(last.line())).flatMap(List::stream).toList();
    }

    private static List<String> lines(final List<NasCall> calls) {
        return calls.stream().map(NasCall::line).toList();
    }

    private void load(final String file, final String status, final int lines, final int loaded, final List<String> content) {
        batch(file, flow.load(file, content), status, lines, loaded);
    }

    private void batch(final String file, final Map<String, Object> master, final String status, final int lines,
            final int loaded) {
        batches.put(file, master.get("base_dts"));
        masters.put(file, counts(status, lines, loaded));
    }

    private void expect(final List<NasCall> loaded) {
        loaded.stream().map(StoredCall::of).forEach(expected::add);
    }

    private Step step(final String title, final String meaning, final Runnable action, final int hashed) {
        final long start = System.nanoTime();
        action.run();
        final double seconds = (System.nanoTime() - start) / 1e9;

        final List<Check> checks = new ArrayList<>();
        masters.forEach((file, counts) -> checks.add(new Check(file, counts, counts(flow.master(batches.get(file))))));
        final Set<StoredCall> rows = new LinkedHashSet<>(table.rows());
        checks.add(Check.of("rows in the table", expected.size(), rows.size()));
        checks.add(Check.of("rows missing", 0, expected.stream().filter(row -> !rows.contains(row)).count()));
        final long hashedNow = flow.processor("Compute row_hash").counters().getOrDefault("Rows Hashed", 0L);
        checks.add(Check.of("lines that came through", hashed, hashedNow - hashedBefore));
        hashedBefore = hashedNow;
        return new Step(title, meaning, seconds, checks, shown(flow.masters()), shown(flow.details()));
    }

    /** Times as text, for people and reports. */
    private static List<Map<String, Object>> shown(final List<Map<String, Object>> rows) {
        return rows.stream().map(row -> {
            final Map<String, Object> cells = new LinkedHashMap<>(row);
            cells.replaceAll((column, cell) -> cell instanceof Instant ? cell.toString() : cell);
            return cells;
        }).toList();
    }

    private static String counts(final Map<String, Object> master) {
        return master.get("status") + " " + master.get("src_count") + " = " + master.get("load_count") + " + "
                + master.get("error_count");
    }

    private static String counts(final String status, final int lines, final int loaded) {
        return status + " " + lines + " = " + loaded + " + " + (lines - loaded);
    }

    /** The batch of each file so far, by the file's name. */
    public Map<String, Object> batches() {
        return Map.copyOf(batches);
    }

    /** What must be and what is. */
    public record Check(String name, String expected, String actual) {
        static Check of(final String name, final long expected, final long actual) {
            return new Check(name, Long.toString(expected), Long.toString(actual));
        }

        public boolean ok() {
            return Objects.equals(expected, actual);
        }
    }

    /** One step and the two tables after it. */
    public record Step(String title, String meaning, double seconds, List<Check> checks, List<Map<String, Object>> masters,
            List<Map<String, Object>> details) {
        public boolean ok() {
            return checks.stream().allMatch(Check::ok);
        }
    }
}
