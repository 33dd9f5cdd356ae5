package dev.rowhash.nifi;

import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;

/** Spring Batch itself, in the version under test. */
interface SpringBatch {

    /** The major version. */
    String version();

    /** The JOB_KEY of identifying text parameters. */
    String jobKey(Map<String, String> parameters);

    /** The executions of the instance, the latest first; none without an instance. */
    List<Execution> executions(String jobName, Map<String, String> parameters);

    /** Runs a job of that name with one step called load, which does nothing; gives its status, or the refusal's class. */
    String launch(String jobName, Map<String, String> parameters);

    record Execution(long id, String status, String exitCode, String exitMessage, int version, LocalDateTime created,
                     LocalDateTime started, LocalDateTime ended, LocalDateTime updated, Map<String, String> parameters,
                     List<Step> steps) {

        Step step() {
            if (steps.size() != 1) {
                throw new AssertionError("one step is expected: " + steps);
            }
            return steps.get(0);
        }
    }

    record Step(String name, String status, String exitCode, String exitMessage, LocalDateTime started, LocalDateTime ended,
                long read, long written, long readSkips, long processSkips, long writeSkips) {
    }
}
