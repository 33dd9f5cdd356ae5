package dev.rowhash.runtime;

import dev.rowhash.runtime.NasCallTable.StoredCall;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** What the project promises, as four loads into a real table; the demo prints the steps and the tests judge them. */
public final class LoadScenario {
    private static final long SEED = 20260302L;
    private static final int LINES = 1000;
    private static final int APPENDED = 50;
    private static final int SHOWN = 4;

    private final NasCallFlow flow;
    private final NasCallTable table;
    private final Set<StoredCall> expected = new LinkedHashSet<>();

    public LoadScenario(final NasCallFlow flow, final NasCallTable table) {
        this.flow = flow;
        this.table = table;
    }

    /** Runs all steps; each is handed over as soon as it is done. */
    public void run(final Consumer<Step> done) {
        final List<NasCall> log = SampleLog.calls(SEED, LINES + APPENDED);
        final List<NasCall> first = log.subList(0, LINES);
        final List<NasCall> appended = log.subList(LINES, LINES + APPENDED);
        final List<StoredCall> shown = first.subList(0, SHOWN).stream().map(StoredCall::of).toList();

        done.accept(load("load the file", "the first two calls differ in devicetype only: without row_hash "
                + "they would be one row", first, shown));
        done.accept(load("load the same file again", "every row meets itself: nothing is added", first, shown));
        done.accept(load("append " + APPENDED + " lines and load the file", "only the appended lines are new", log,
                appended.subList(0, SHOWN).stream().map(StoredCall::of).toList()));

        final int index = changeable(log);
        final List<NasCall> changed = new ArrayList<>(log);
        changed.set(index, changeOneCharacter(log.get(index)));
        done.accept(load("change one character in line " + (index + 1) + " and load the file",
                "another content is another row: the old one stays, one is added", changed,
                List.of(StoredCall.of(log.get(index)), StoredCall.of(changed.get(index)))));
    }

    private Step load(final String title, final String meaning, final List<NasCall> calls,
            final List<StoredCall> shown) {
        final int expectedBefore = expected.size();
        calls.stream().map(StoredCall::of).forEach(expected::add);
        final int rowsBefore = table.rows().size();
        final long start = System.nanoTime();
        flow.load(calls);
        final double seconds = (System.nanoTime() - start) / 1e9;

        final List<StoredCall> rows = table.rows();
        final Set<StoredCall> stored = new LinkedHashSet<>(rows);
        return new Step(title, meaning, calls.size(), (int) calls.stream().distinct().count(), seconds,
                new Count(expected.size() - expectedBefore, rows.size() - rowsBefore),
                new Count(expected.size(), rows.size()),
                new Count(0, (int) expected.stream().filter(row -> !stored.contains(row)).count()),
                new Count(0, (int) stored.stream().filter(row -> !row.hasRightHash()).count()),
                flow.rejects(),
                shown.stream().filter(stored::contains).toList());
    }

    private static int changeable(final List<NasCall> log) {
        final int middle = log.size() / 2;
        for (int i = middle; i < log.size(); i++) {
            final NasCall call = log.get(i);
            // A line that stands there once, so that its old content is not loaded by another line as well.
            if (log.indexOf(call) == log.lastIndexOf(call)) {
                return i;
            }
        }
        throw new IllegalStateException("The log has no line that stands there once");
    }

    private static NasCall changeOneCharacter(final NasCall call) {
        final String output = call.value("output");
        return call.with("output", (output.charAt(0) == '가' ? '나' : '가') + output.substring(1));
    }

    /** What must be and what is. */
    public record Count(int expected, int actual) {
        public boolean ok() {
            return expected == actual;
        }
    }

    /**
     * One load and the table after it.
     *
     * @param missing     rows of the loaded files that are not in the table exactly as they must be, hash included
     * @param wrongHashes rows of the table whose hash is not the one of their cells
     * @param rejects     FlowFiles that a processor refused, by queue
     * @param shown       rows to look at, as the table holds them
     */
    public record Step(String title, String meaning, int lines, int distinctLines, double seconds, Count newRows,
            Count rows, Count missing, Count wrongHashes, Map<String, Integer> rejects, List<StoredCall> shown) {
        public boolean ok() {
            return newRows.ok() && rows.ok() && missing.ok() && wrongHashes.ok() && rejects.isEmpty();
        }
    }
}
