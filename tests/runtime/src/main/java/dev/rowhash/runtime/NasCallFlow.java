package dev.rowhash.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The flow of production: a log file in, one JSON row a line out, the hash in between. It ends in PutKudu or, where
 * NiFi has none, in files. Whatever a processor refuses stays in a queue labelled {@code rejected by ...}.
 */
public final class NasCallFlow {
    /** The label of the queue with what came through. */
    public static final String DONE = "done";

    /** The label of the queue with what the hash's processor refused. */
    public static final String REJECTED_BY_HASH = rejectedBy("the row hash");

    private static final String UPSERT_KUDU = "UpsertKudu";
    private static final Duration LOAD_DEADLINE = Duration.ofSeconds(180);
    private static final Duration AGE_OF_FIRST_FILE = Duration.ofHours(1);
    private static final Duration BETWEEN_FILES = Duration.ofSeconds(10);
    private static final String LINE = "^" + NasCall.COLUMNS.stream().map(column -> "([^\\t]*)")
            .collect(Collectors.joining("\\t")) + "$";

    private final Flow flow;
    private final Path inbox;
    private FlowProcessor last;
    private FlowProcessor hash;
    private Instant nextFileTime = Instant.now().minus(AGE_OF_FIRST_FILE);
    private int files;

    private NasCallFlow(final NifiServer nifi, final String name, final Component hashStep) {
        flow = Flow.create(nifi.client(), name);
        inbox = nifi.data(name).resolve("inbox");
        createDirectory(inbox);

        last = flow.add(Component.of("ListFile").set("Input Directory", inbox.toString()).every("500 ms"));
        then("success", Component.of("FetchFile"), "not.found", "permission.denied", "failure");
        then("success", Component.of("RouteOnAttribute").set("not empty", "${fileSize:gt(0)}"), "unmatched");
        then("not empty", Component.of("SplitText").set("Line Split Count", "1").autoTerminate("original"), "failure");
        then("splits", Component.of("ExtractText").set("f", LINE)
                .set("Include Capture Group 0", "false")
                // The default of 1024 characters would cut a longer value without a word.
                .set("Maximum Capture Group Length", "1048576"), "unmatched");
        then("matched", Component.of("UpdateAttribute").set(columnsFromGroups()));
        hash = then("success", hashStep);
        flow.keep(hash, REJECTED_BY_HASH, "failure");
        then("success", Component.of("AttributesToJSON")
                .set("Attributes List", String.join(",", NasCall.TABLE_COLUMNS))
                .set("Destination", "flowfile-content"), "failure");
    }

    /** The flow into the table: with PutKudu, or with UpsertKudu where NiFi has none. */
    public static NasCallFlow intoKudu(final NifiServer nifi, final KuduServer kudu, final String name,
            final Component hashStep) {
        return intoKudu(nifi, kudu, name, hashStep, nifi.version().hasPutKudu() ? putKudu() : Component.of(UPSERT_KUDU));
    }

    /** The flow into the table with a sink of one's own choice. */
    public static NasCallFlow intoKudu(final NifiServer nifi, final KuduServer kudu, final String name,
            final Component hashStep, final Component sink) {
        final NasCallFlow calls = new NasCallFlow(nifi, name, hashStep);
        final String reader = calls.flow.enable(Component.of("JsonTreeReader"));
        calls.end(sink
                .set("Kudu Masters", kudu.masters())
                .set("Table Name", NasCallTable.NAME)
                .set("Record Reader", reader));
        if (sink.type().equals(UPSERT_KUDU)) {
            calls.flow.connect(calls.last, calls.last, "retry");
        }
        return calls;
    }

    /** The sink of today's flow. */
    public static Component putKudu() {
        return Component.of("PutKudu").set("Insert Operation", "UPSERT");
    }

    /** The flow up to the JSON, one file a row in {@code outbox}. */
    public static NasCallFlow intoFiles(final NifiServer nifi, final Path outbox, final String name,
            final Component hashStep) {
        final NasCallFlow calls = new NasCallFlow(nifi, name, hashStep);
        calls.then("success", Component.of("UpdateAttribute").named("a name for each row")
                .set("filename", "${filename}.${fragment.index}.json"));
        calls.end(Component.of("PutFile").set("Directory", outbox.toString()));
        return calls;
    }

    /** The processor that this project builds, with the table's columns. */
    public static Component computeRowHash() {
        return Component.of("ComputeRowHash").set("Columns", String.join(",", NasCall.COLUMNS));
    }

    /** The processor and the script that production runs today. */
    public static Component groovyScript(final Path script) {
        return Component.of("ExecuteScript").set("Script Engine", "Groovy").set("Script File", script.toString());
    }

    /** Puts another processor in the place of the one that computes the hash. */
    public void replaceHash(final Component hashStep) {
        flow.stop();
        hash = flow.replace(hash, hashStep);
    }

    public void stop() {
        flow.stop();
    }

    public FlowProcessor hash() {
        return hash;
    }

    public FlowQueue queue(final String label) {
        return flow.queue(label);
    }

    /** How many FlowFiles each processor has refused so far, by label; none of those that refused nothing. */
    public Map<String, Integer> rejects() {
        return flow.queued().entrySet().stream()
                .filter(queue -> queue.getKey().startsWith(rejectedBy("")) && queue.getValue() > 0)
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /**
     * Feeds a file of calls to the flow and waits until each line has come through or was refused. More FlowFiles than
     * lines are an error: the upsert would hide from the table that a row came twice.
     */
    public void load(final List<NasCall> calls) {
        final int refusedBefore = refused();
        flow.queue(DONE).empty();
        flow.start();
        drop(calls);
        Await.until("the " + calls.size() + " lines to come through", LOAD_DEADLINE,
                () -> arrived() - refusedBefore >= calls.size(), this::whereFlowFilesAre);
        // The last session may be between its two queues, or one FlowFile too many on its way.
        Await.until("the queues on the way to be empty", Flow.DEADLINE, () -> onTheWay() == 0, this::whereFlowFilesAre);
        final int came = arrived() - refusedBefore;
        if (came != calls.size()) {
            throw new RuntimeFailure(calls.size() + " lines went in, but " + came
                    + " FlowFiles came out: a processor of the flow doubles them; " + whereFlowFilesAre());
        }
    }

    /** Feeds a file of calls to the flow and waits until each line waits before the last processor, which does not run. */
    void queueUp(final List<NasCall> calls) {
        flow.startAllBut(Set.of(last.name()));
        drop(calls);
        Await.until("the " + calls.size() + " lines to wait before " + last.name(), LOAD_DEADLINE,
                () -> flow.queuedBefore(last) == calls.size(), this::whereFlowFilesAre);
        flow.stop();
    }

    /** Starts the last processor alone and waits until it has worked off what waits before it. */
    void workOff(final int lines) {
        last.start();
        Await.until(last.name() + " to work off its queue", LOAD_DEADLINE, () -> arrived() == lines, this::whereFlowFilesAre);
    }

    private int arrived() {
        return count(NasCallFlow::isEnd);
    }

    private int onTheWay() {
        return count(label -> !isEnd(label));
    }

    private int count(final Predicate<String> label) {
        return flow.queued().entrySet().stream().filter(queue -> label.test(queue.getKey()))
                .mapToInt(Map.Entry::getValue).sum();
    }

    private String whereFlowFilesAre() {
        return "where FlowFiles are: " + flow.queued();
    }

    private static boolean isEnd(final String label) {
        return label.equals(DONE) || label.startsWith(rejectedBy(""));
    }

    private int refused() {
        return rejects().values().stream().mapToInt(Integer::intValue).sum();
    }

    /** ListFile takes what is newer than the newest file it knows, so that each file gets a later time. */
    private void drop(final List<NasCall> calls) {
        files++;
        nextFileTime = nextFileTime.plus(BETWEEN_FILES);
        final String name = "calls-" + files + ".log";
        final Path unfinished = inbox.resolveSibling(name);
        SampleLog.write(unfinished, calls);
        try {
            Files.setLastModifiedTime(unfinished, FileTime.from(nextFileTime));
            Files.move(unfinished, inbox.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot put " + name + " into " + inbox, e);
        }
    }

    private FlowProcessor then(final String relationship, final Component component, final String... rejecting) {
        final FlowProcessor next = flow.add(component);
        flow.connect(last, next, relationship);
        if (rejecting.length > 0) {
            flow.keep(next, rejectedBy(next.name()), rejecting);
        }
        last = next;
        return next;
    }

    private void end(final Component sink) {
        flow.keep(then("success", sink, "failure"), DONE, "success");
    }

    private static String rejectedBy(final String processor) {
        return "rejected by " + processor;
    }

    private static Map<String, String> columnsFromGroups() {
        return NasCall.COLUMNS.stream().collect(Collectors.toMap(column -> column,
                column -> "${f." + (NasCall.COLUMNS.indexOf(column) + 1) + "}"));
    }

    private static void createDirectory(final Path folder) {
        try {
            Files.createDirectories(folder);
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot create " + folder, e);
        }
    }
}
