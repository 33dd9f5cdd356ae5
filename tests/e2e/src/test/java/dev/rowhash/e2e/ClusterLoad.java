package dev.rowhash.e2e;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rowhash.runtime.Await;
import dev.rowhash.runtime.Component;
import dev.rowhash.runtime.Flow;
import dev.rowhash.runtime.FlowProcessor;
import dev.rowhash.runtime.NifiCluster;
import dev.rowhash.runtime.NifiServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One batch of many files, as many on each node of a cluster, through a flow with one EmitLoadLog. Its records become
 * files; read in the order in which they were written, the last one of a key is what an upsert would have left.
 */
final class ClusterLoad {
    static final int LINES = 100;

    private static final int FILES_A_NODE = 40;
    private static final int BROKEN_EVERY = 10;
    private static final Duration DEADLINE = Duration.ofSeconds(180);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TypeReference<Map<String, Object>> RECORD = new TypeReference<>() {
    };

    private final NifiCluster cluster;
    private final String name;
    private final Flow flow;

    private ClusterLoad(final NifiCluster cluster, final String name) {
        this.cluster = cluster;
        this.name = name;
        this.flow = Flow.create(cluster.nodes().get(0).client(), name);
    }

    /** Lays out the files and the flow, stopped. */
    static ClusterLoad create(final NifiCluster cluster, final String name) throws IOException {
        final ClusterLoad load = new ClusterLoad(cluster, name);
        for (final NifiServer node : cluster.nodes()) {
            for (int file = 0; file < FILES_A_NODE; file++) {
                Files.write(load.folder(node, "inbox").resolve("calls-" + file + ".log"), lines());
            }
        }
        load.build();
        return load;
    }

    private static List<String> lines() {
        return IntStream.range(0, LINES).mapToObj(line -> (line % BROKEN_EVERY == 0 ? "broken " : "row ") + line).toList();
    }

    /** The same path, seen from the working directory of each node, is a folder of its own. */
    private String relative(final String folder) {
        return "./data/" + name + "/" + folder;
    }

    private Path folder(final NifiServer node, final String folder) {
        return node.data(name + "/" + folder);
    }

    private void build() {
        final FlowProcessor get = flow.add(Component.of("GetFile").set("Input Directory", relative("inbox"))
                .set("Keep Source File", "false"));
        final FlowProcessor batch = flow.add(Component.of("UpdateAttribute").named("Name the batch")
                .set(Map.of("src_type", "NAS", "regn", "R01", "db_name", "bronze", "table_name", name,
                        "base_dts", "20260304050607", "load.unit", "${absolute.path}${filename}",
                        "load.units", Integer.toString(FILES_A_NODE * cluster.nodes().size()))));
        final FlowProcessor split = flow.add(Component.of("SplitText").set("Line Split Count", "1"));
        final FlowProcessor declare = flow.add(Component.of("UpdateAttribute").named("Declare the file")
                .set("load.outcome", "declared"));
        final FlowProcessor parse = flow.add(Component.of("ExtractText").set("value", "^row (.*)$"));
        final FlowProcessor blame = flow.add(Component.of("UpdateAttribute").named("Say what failed")
                .set("error_processor", "ExtractText").set("error_message", "The line does not match"));
        final FlowProcessor log = flow.add(Component.of("EmitLoadLog").autoTerminate("success")
                .set("Log Loaded Items", "true")
                // Small, so that a batch takes long enough to be interrupted and both nodes want the state at once.
                .set("Batch Size", "20")
                .set("Closed Batch Retention", "10 sec"));
        flow.connect(get, batch, "success");
        flow.connect(batch, split, "success");
        flow.connect(split, declare, "original");
        flow.connect(declare, log, "success");
        flow.connect(split, parse, "splits");
        flow.connect(parse, log, "matched");
        flow.connect(parse, blame, "unmatched");
        flow.connect(blame, log, "success");
        flow.keep(split, "not split", "failure");
        flow.keep(log, "not logged", "failure");
        write(log, "master");
        write(log, "detail");
    }

    private void write(final FlowProcessor log, final String records) {
        cluster.nodes().forEach(node -> folder(node, records));
        final FlowProcessor put = flow.add(Component.of("PutFile").named("Write " + records).autoTerminate("success")
                .set("Directory", relative(records)).set("Conflict Resolution Strategy", "replace"));
        flow.connect(log, put, records);
        flow.keep(put, records + " not written", "failure");
    }

    void start() {
        flow.start();
    }

    void stop() {
        flow.stop();
    }

    /** How many FlowFiles wait in each labelled queue, on all nodes. */
    Map<String, Integer> queued() {
        return flow.queued();
    }

    int items() {
        return itemsOfANode() * cluster.nodes().size();
    }

    int itemsOfANode() {
        return FILES_A_NODE * LINES;
    }

    int failures() {
        return items() / BROKEN_EVERY;
    }

    boolean isBroken(final String line) {
        return line.startsWith("broken ");
    }

    /** Waits until so many items have a detail record that this node has written. */
    void awaitLoggedBy(final NifiServer node, final int items) {
        Await.until(items + " items to be logged", DEADLINE, () -> records(List.of(node), "detail").size() >= items,
                () -> records(List.of(node), "detail").size() + " are");
    }

    /** Waits until the last record of the batch is final and every item has its record. */
    void awaitFinal() {
        Await.until("the batch to be final", DEADLINE,
                () -> masters().stream().reduce((before, after) -> after).filter(ClusterLoad::isFinal).isPresent()
                        && details().stream().map(record -> record.get("detail_seq")).distinct().count() >= items(),
                () -> details().size() + " records of items, the batch: " + masters());
    }

    static boolean isFinal(final Map<String, Object> master) {
        return !master.get("status").equals("RUNNING");
    }

    /** In the order in which they were written, by whichever node. */
    List<Map<String, Object>> masters() {
        return records(cluster.nodes(), "master");
    }

    List<Map<String, Object>> details() {
        return records(cluster.nodes(), "detail");
    }

    private List<Map<String, Object>> records(final List<NifiServer> nodes, final String table) {
        try {
            final List<Written> files = new ArrayList<>();
            for (final NifiServer node : nodes) {
                try (Stream<Path> written = Files.list(folder(node, table))) {
                    // PutFile renames a file when it is complete.
                    for (final Path file : written.filter(path -> !path.getFileName().toString().startsWith(".")).toList()) {
                        files.add(new Written(Files.getLastModifiedTime(file), file));
                    }
                }
            }
            files.sort(Comparator.comparing(Written::time));
            final List<Map<String, Object>> records = new ArrayList<>();
            for (final Written file : files) {
                for (final String line : Files.readAllLines(file.path())) {
                    records.add(JSON.readValue(line, RECORD));
                }
            }
            return records;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private record Written(FileTime time, Path path) {
    }
}
