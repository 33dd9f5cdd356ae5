package dev.rowhash.runtime;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.rowhash.runtime.LoadLogTables.Table;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The flow definition that users import, nas-to-kudu.json or the one of UpsertKudu, at work: log files in, rows and the load log in Kudu, and
 * the failures run again.
 */
public final class LoadLogFlow {
    private static final String WITH_PUT_KUDU = "nifi-nar/flows/nas-to-kudu.json";
    private static final String WITH_UPSERT_KUDU = "nifi-nar/flows/nas-to-kudu-upsert.json";
    private static final String WITH_SPRING_BATCH = "nifi-nar/flows/nas-to-kudu-spring-batch";

    /** The label of the queue with what has failed too often. */
    public static final String EXHAUSTED = "exhausted";

    private static final String REGION = "R01";
    private static final String SOURCE = "source";
    /** What asks a database: invalid without a connection pool. */
    private static final Set<String> NOT_STARTED = Set.of("Query what failed", "Begin a load", "Query the source",
            "Query the record", SOURCE);
    private static final String FETCH = "Fetch the file";
    private static final int MOST_RETRIES = 3;
    /** What waits in these queues waits for a person. */
    private static final Set<String> KEPT = Set.of(EXHAUSTED, "not logged", "query failed", "cannot be replayed",
            "not of files", "not in Spring Batch", "consume again", "query the row again");
    private static final Duration DEADLINE = Duration.ofSeconds(120);
    private static final Duration AGE_OF_FIRST_FILE = Duration.ofHours(1);
    private static final Duration BETWEEN_FILES = Duration.ofSeconds(10);

    private final Flow flow;
    private final LoadLogTables tables;
    private final Path inbox;
    private final Path replays;
    private Instant nextFileTime = Instant.now().minus(AGE_OF_FIRST_FILE);
    private int replayed;

    private LoadLogFlow(final Flow flow, final LoadLogTables tables, final Path inbox, final Path replays) {
        this.flow = flow;
        this.tables = tables;
        this.inbox = inbox;
        this.replays = replays;
    }

    /** The definition of the flow of log files that a NiFi of this version can run; below the project's folder. */
    public static String definition(final NifiVersion version) {
        return version.hasPutKudu() ? WITH_PUT_KUDU : WITH_UPSERT_KUDU;
    }

    /** Imports the flow of log files; {@code parameters} are further ones than what this machine's servers need. */
    public static LoadLogFlow upload(final NifiServer nifi, final KuduServer kudu, final LoadLogTables tables,
            final String name, final Map<String, String> parameters) {
        return uploadOfFiles(nifi, kudu, tables, name, definition(nifi.version()), parameters);
    }

    /** The same with Spring Batch's metadata tables; its processor still needs its connection pool. */
    public static LoadLogFlow uploadWithSpringBatch(final NifiServer nifi, final KuduServer kudu, final LoadLogTables tables,
            final String name, final Map<String, String> parameters) {
        return uploadOfFiles(nifi, kudu, tables, name,
                WITH_SPRING_BATCH + (nifi.version().hasPutKudu() ? ".json" : "-upsert.json"), parameters);
    }

    private static LoadLogFlow uploadOfFiles(final NifiServer nifi, final KuduServer kudu, final LoadLogTables tables,
            final String name, final String file, final Map<String, String> parameters) {
        final Path inbox = nifi.data(name + "/inbox");
        final FlowDefinition definition = FlowDefinition.read(file)
                .set("input.directory", inbox.toString())
                .set("input.minimum.age", "0 sec");
        parameters.forEach(definition::set);
        return upload(nifi, kudu, tables, name, definition, inbox);
    }

    /** Imports another flow with a load log, whose FlowFiles the caller brings. */
    public static LoadLogFlow upload(final NifiServer nifi, final KuduServer kudu, final LoadLogTables tables,
            final String name, final FlowDefinition definition) {
        return upload(nifi, kudu, tables, name, definition, nifi.data(name + "/inbox"));
    }

    private static LoadLogFlow upload(final NifiServer nifi, final KuduServer kudu, final LoadLogTables tables,
            final String name, final FlowDefinition definition, final Path inbox) {
        final Path replays = nifi.data(name + "/replays");
        definition.set("region", REGION)
                .set("kudu.masters", kudu.masters())
                .set("kudu.table", NasCallTable.NAME)
                .set("kudu.load_log_master", Table.MASTER.kuduName())
                .set("kudu.load_log_detail", Table.DETAIL.kuduName())
                .set("replay.directory", replays.toString())
                .set("settle.time", "2 sec");
        return new LoadLogFlow(definition.upload(nifi.client(), name), tables, inbox, replays);
    }

    /** Starts all but the queries: their results come as files and by {@link #send} here. */
    public void start() {
        flow.startAllBut(NOT_STARTED);
    }

    /** Adds a controller service and enables it; the answer is its id. */
    public String enable(final Component service) {
        return flow.enable(service);
    }

    /** Adds a source of single FlowFiles before a processor. */
    public FlowProcessor addSource(final String before) {
        return addSource(processor(before));
    }

    public FlowProcessor addSource(final FlowProcessor before) {
        final FlowProcessor source = flow.add(Component.of("GenerateFlowFile").named(SOURCE).every("1 day"));
        flow.connect(source, before, "success");
        return source;
    }

    /** Adds a processor before another one. */
    public FlowProcessor addBefore(final FlowProcessor before, final Component component, final String relationship) {
        final FlowProcessor added = flow.add(component);
        flow.connect(added, before, relationship);
        return added;
    }

    /** Sends one FlowFile from a source. */
    public static void send(final FlowProcessor source, final String content, final Map<String, String> attributes) {
        final Map<String, String> properties = new HashMap<>(attributes);
        properties.put("Custom Text", content.replace("${", "$${")); // or it would be evaluated
        source.configure(properties);
        source.runOnce();
    }

    public void stop() {
        flow.stop();
    }

    public FlowProcessor processor(final String name) {
        return flow.processor(name);
    }

    public FlowQueue queue(final String label) {
        return flow.queue(label);
    }

    public Map<String, Integer> queued() {
        return flow.queued();
    }

    /** Whether nothing is on its way. */
    public boolean isIdle() {
        return flow.queued().entrySet().stream().noneMatch(queue -> queue.getValue() > 0 && !KEPT.contains(queue.getKey()));
    }

    /** Puts a file into the directory that the flow watches; each one is newer than the one before. */
    public void drop(final String name, final List<String> lines) {
        nextFileTime = nextFileTime.plus(BETWEEN_FILES);
        write(name, lines, nextFileTime);
    }

    /** Puts another content in the place of a file that the flow has seen; it looks as old as it was. */
    public void repair(final String name, final List<String> lines) {
        write(name, lines, nextFileTime.minus(AGE_OF_FIRST_FILE));
    }

    /** Removes a file. */
    public void remove(final String name) {
        try {
            Files.delete(inbox.resolve(name));
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot remove " + name, e);
        }
    }

    private void write(final String name, final List<String> lines, final Instant time) {
        final Path unfinished = inbox.resolveSibling(name);
        try {
            Files.write(unfinished, lines, StandardCharsets.UTF_8);
            Files.setLastModifiedTime(unfinished, FileTime.from(time));
            Files.move(unfinished, inbox.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot put " + name + " into " + inbox, e);
        }
    }

    /** Loads a file and waits until its batch is final; the answer is the batch's master row. */
    public Map<String, Object> load(final String name, final List<String> lines) {
        final Set<Object> before = batches();
        drop(name, lines);
        return awaitNewBatch(name, before);
    }

    /** Loads a file that is removed after it was listed and before it is read. */
    public Map<String, Object> loadRemoved(final String name, final List<String> lines) {
        final Set<Object> before = batches();
        final FlowProcessor fetch = processor(FETCH);
        fetch.stop();
        drop(name, lines);
        Await.until(name + " to be listed", DEADLINE, () -> flow.queuedBefore(fetch) == 1);
        remove(name);
        fetch.start();
        return awaitNewBatch(name, before);
    }

    private Set<Object> batches() {
        return tables.rows(Table.MASTER).stream().map(row -> row.get("base_dts")).collect(Collectors.toSet());
    }

    /** Waits until nothing is on its way and every batch is final. */
    public void awaitFinal(final int batches) {
        Await.until(batches + " batches to be final", DEADLINE,
                () -> isIdle() && masters().size() == batches && masters().stream().allMatch(LoadLogFlow::isFinal),
                () -> "where FlowFiles are: " + queued() + ", master: " + masters());
    }

    private Map<String, Object> awaitNewBatch(final String name, final Set<Object> before) {
        Await.until("the batch of " + name + " to be final", DEADLINE,
                () -> isIdle() && tables.rows(Table.MASTER).stream()
                        .anyMatch(row -> !before.contains(row.get("base_dts")) && isFinal(row)),
                () -> "where FlowFiles are: " + queued() + ", master: " + tables.rows(Table.MASTER));
        return tables.rows(Table.MASTER).stream().filter(row -> !before.contains(row.get("base_dts"))).findFirst().orElseThrow();
    }

    private static boolean isFinal(final Map<String, Object> master) {
        return !master.get("status").equals("RUNNING");
    }

    /** Master rows, the oldest batch first. */
    public List<Map<String, Object>> masters() {
        return tables.rows(Table.MASTER).stream()
                .sorted(Comparator.comparing(row -> (String) row.get("base_dts"))).toList();
    }

    public Map<String, Object> master(final Object baseDts) {
        return masters().stream().filter(row -> row.get("base_dts").equals(baseDts)).findFirst().orElseThrow();
    }

    /** Detail rows, the oldest batch first. */
    public List<Map<String, Object>> details() {
        return tables.rows(Table.DETAIL).stream()
                .sorted(Comparator.comparing((Map<String, Object> row) -> (String) row.get("base_dts"))
                        .thenComparing(row -> (Integer) row.get("detail_seq"))).toList();
    }

    public List<Map<String, Object>> details(final Object baseDts) {
        return details().stream().filter(row -> row.get("base_dts").equals(baseDts)).toList();
    }

    /** Runs what the re-run query finds again, and waits until all of it has come back; the answer is its number. */
    public int replay() {
        final List<Map<String, Object>> failed = failed(MOST_RETRIES);
        feed(failed);
        awaitOutcomes(failed);
        return failed.size();
    }

    /** Asks for a replay of every failure, those whose retries are used up too, and waits for nothing. */
    public void replayWhateverFailed() {
        feed(failed(Integer.MAX_VALUE));
    }

    private List<Map<String, Object>> failed(final int retries) {
        return details().stream()
                .filter(row -> row.get("status").equals("FAIL") && (Integer) row.get("retry_count") < retries).toList();
    }

    private void awaitOutcomes(final List<Map<String, Object>> failed) {
        Await.until(failed.size() + " items to be run again", DEADLINE,
                () -> isIdle() && masters().stream().allMatch(LoadLogFlow::isFinal)
                        && failed.stream().allMatch(this::hasOutcome),
                () -> "where FlowFiles are: " + queued() + ", master: " + masters() + ", without an outcome: "
                        + failed.stream().filter(row -> !hasOutcome(row)).toList());
    }

    private boolean hasOutcome(final Map<String, Object> before) {
        return details(before.get("base_dts")).stream()
                .filter(row -> row.get("detail_seq").equals(before.get("detail_seq")))
                .anyMatch(row -> !row.get("status").equals("RUNNING")
                        && (Integer) row.get("retry_count") == (Integer) before.get("retry_count") + 1);
    }

    /** The re-run query's result, as docs/sql/load_log has it, in a file of JSON records. */
    private void feed(final List<Map<String, Object>> failed) {
        final List<String> records = new ArrayList<>();
        for (final Map<String, Object> row : failed) {
            final Object baseDts = row.get("base_dts");
            final Map<String, Object> record = new LinkedHashMap<>(row);
            final Map<String, Object> master = master(baseDts);
            List.of("src_count", "load_count", "error_count").forEach(count -> record.put(count, master.get(count)));
            final List<Integer> numbers = details(baseDts).stream().map(detail -> (Integer) detail.get("detail_seq")).toList();
            record.put("max_detail_seq", numbers.stream().mapToInt(Integer::intValue).max().orElseThrow());
            record.put("min_detail_seq", numbers.stream().mapToInt(Integer::intValue).min().orElseThrow());
            record.put("created_dt", ((Instant) row.get("created_dt")).toEpochMilli());
            record.put("start_ts", ((Instant) master.get("start_ts")).toEpochMilli());
            record.remove("updated_dt");
            records.add(json(record));
        }
        replayed++;
        final String name = "failed-" + replayed + ".ndjson";
        final Path unfinished = replays.resolveSibling(name);
        try {
            Files.write(unfinished, records, StandardCharsets.UTF_8);
            Files.move(unfinished, replays.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot put " + name + " into " + replays, e);
        }
    }

    private static String json(final Map<String, Object> record) {
        try {
            return NifiClient.JSON.writeValueAsString(new HashMap<>(record));
        } catch (final JsonProcessingException e) {
            throw new RuntimeFailure("Not JSON: " + record, e);
        }
    }

    /** Puts another pattern in the place of the one that lines are parsed with. */
    public void repairPattern(final String pattern) {
        final FlowProcessor parse = processor("Parse the line");
        parse.stop();
        parse.configure(Map.of("f", pattern));
        parse.start();
    }

    /** The flow's pattern: so many values between tabs. */
    public static String pattern(final int values, final String end) {
        return "^" + "([^\\t]*)\\t".repeat(values - 1) + "([^\\t]*)" + end + "$";
    }
}
