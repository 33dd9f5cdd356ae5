package dev.rowhash.groovy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.nifi.processors.script.ExecuteScript;
import org.apache.nifi.util.MockFlowFile;
import org.apache.nifi.util.TestRunner;
import org.apache.nifi.util.TestRunners;

/** Runs a script of this module in the real ExecuteScript. */
final class ScriptRunner implements AutoCloseable {

    static final String PROCESSOR_NAME = "Compare row_hash";

    /** Enough to make the set-up of a run disappear, few enough that their values fit the heap. */
    private static final int FLOWFILES_A_RUN = 5_000;
    /** The attribute that lists a FlowFile's columns, where one run has rows of many tables. */
    static final String COLUMNS = "test.columns";
    private static final String POSITION = "test.position";

    private final TestRunner runner = TestRunners.newTestRunner(new ExecuteScript(), PROCESSOR_NAME);
    private boolean initialized;

    /** What became of one FlowFile. */
    record Outcome(String relationship, MockFlowFile flowFile) {

        String attribute(final String name) {
            return flowFile.getAttribute(name);
        }
    }

    ScriptRunner(final String script) {
        runner.setProperty("Script Engine", "Groovy");
        runner.setProperty("Script File", Path.of("src/main/groovy", script).toString());
    }

    ScriptRunner(final String script, final String columnList) {
        this(script);
        // A column may be called ${a}: the doubled dollar keeps the expression language away from it.
        runner.setProperty("columns", columnList.replace("${", "$${"));
    }

    static ScriptRunner withColumnsFromAttribute(final String script) {
        final ScriptRunner runner = new ScriptRunner(script);
        runner.runner.setProperty("columns", "${" + COLUMNS + "}");
        return runner;
    }

    TestRunner testRunner() {
        return runner;
    }

    /** What the processor and the script logged as errors. */
    String errors() {
        return runner.getLogger().getErrorMessages().stream().map(message -> message.getMsg() + " " + message.getThrowable())
                .collect(Collectors.joining("\n"));
    }

    Outcome run(final Map<String, String> attributes) {
        return run(List.of(attributes)).get(0);
    }

    /** One FlowFile for each map. The outcomes are in the order of the maps, none is missing and each has its content. */
    List<Outcome> run(final List<Map<String, String>> rows) {
        final List<Outcome> outcomes = new ArrayList<>(rows.size());
        for (int from = 0; from < rows.size(); from += FLOWFILES_A_RUN) {
            outcomes.addAll(runOnce(rows.subList(from, Math.min(from + FLOWFILES_A_RUN, rows.size()))));
        }
        return outcomes;
    }

    private List<Outcome> runOnce(final List<Map<String, String>> rows) {
        for (int i = 0; i < rows.size(); i++) {
            final Map<String, String> attributes = new HashMap<>(rows.get(i));
            attributes.put(POSITION, Integer.toString(i));
            // The framework's alone: it gives each FlowFile its own.
            attributes.remove("uuid");
            runner.enqueue(content(i), attributes);
        }
        runner.run(rows.size(), false, !initialized);
        initialized = true;
        runner.assertQueueEmpty();

        final Outcome[] outcomes = new Outcome[rows.size()];
        collect("success", outcomes);
        collect("failure", outcomes);
        for (int i = 0; i < outcomes.length; i++) {
            if (outcomes[i] == null) {
                throw new AssertionError("FlowFile " + i + " came out nowhere");
            }
        }
        runner.clearTransferState();
        runner.clearProvenanceEvents();
        return List.of(outcomes);
    }

    private void collect(final String relationship, final Outcome[] outcomes) {
        for (final MockFlowFile flowFile : runner.getFlowFilesForRelationship(relationship)) {
            final int position = Integer.parseInt(flowFile.getAttribute(POSITION));
            if (outcomes[position] != null) {
                throw new AssertionError("FlowFile " + position + " came out twice");
            }
            flowFile.assertContentEquals(content(position));
            outcomes[position] = new Outcome(relationship, flowFile);
        }
    }

    private static String content(final int position) {
        return "content " + position;
    }

    @Override
    public void close() {
        runner.shutdown();
    }
}
