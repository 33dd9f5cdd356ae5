package dev.rowhash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowhash.runtime.Await;
import dev.rowhash.runtime.NifiCluster;
import dev.rowhash.runtime.NifiServer;
import dev.rowhash.runtime.NifiVersion;
import dev.rowhash.runtime.Project;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** One EmitLoadLog on the two nodes of a NiFi 2.3.0 cluster: one ledger in ZooKeeper, whatever is lost on the way. */
class LoadLogClusterTest {
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final int SOME = 500;

    private static NifiCluster cluster;

    private ClusterLoad load;

    @BeforeAll
    static void startCluster() {
        cluster = NifiCluster.start(NifiVersion.V2_3_0, Project.nar());
    }

    @AfterAll
    static void stopCluster() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @AfterEach
    void stopFlow() {
        if (load != null && cluster.nodes().stream().allMatch(NifiServer::isRunning)) {
            load.stop();
        }
    }

    @Test
    void aNodeThatIsKilledInTheMiddleOfABatchIsWaitedForAndCountedOnce() throws IOException {
        final NifiServer surviving = cluster.nodes().get(0);
        final NifiServer killed = cluster.nodes().get(1);
        load = ClusterLoad.create(cluster, "killed");
        load.start();
        load.awaitLoggedBy(killed, SOME);

        killed.kill();
        cluster.awaitAlone(surviving);
        load.awaitLoggedBy(surviving, load.itemsOfANode());
        assertThat(load.details()).as("killed in the middle").hasSizeLessThan(load.items());
        assertThat(load.masters()).as("with items of the killed node missing").noneMatch(ClusterLoad::isFinal);
        killed.restart();
        cluster.awaitConnected();

        load.awaitFinal();
        checkEveryItemIsCountedOnce();
    }

    @Test
    void withoutTheStateFlowFilesWaitAndNothingIsLost() throws IOException {
        load = ClusterLoad.create(cluster, "without-state");
        load.start();
        for (final NifiServer node : cluster.nodes()) {
            load.awaitLoggedBy(node, SOME);
        }

        cluster.zooKeeper().kill();
        for (final NifiServer node : cluster.nodes()) {
            Await.until("a node to say that it waits for the state", DEADLINE, () -> saysThatItWaits(node));
        }
        assertThat(load.details()).as("interrupted in the middle").hasSizeLessThan(load.items());
        assertThat(load.masters()).noneMatch(ClusterLoad::isFinal);
        cluster.zooKeeper().restart();
        cluster.awaitConnected();

        load.awaitFinal();
        checkEveryItemIsCountedOnce();
    }

    private static boolean saysThatItWaits(final NifiServer node) {
        final Path log = node.logs().resolve("nifi-app.log");
        try {
            final String text = Files.readString(log);
            return text.contains("FlowFiles wait. The load log's state cannot be reached")
                    || text.contains("FlowFiles wait. This node is not connected to its cluster");
        } catch (final IOException e) {
            throw new AssertionError("Cannot read " + log, e);
        }
    }

    private void checkEveryItemIsCountedOnce() {
        final List<Map<String, Object>> masters = load.masters();
        assertThat(masters).filteredOn(ClusterLoad::isFinal).isNotEmpty().allSatisfy(master -> assertThat(master)
                .containsEntry("status", "PARTIAL").containsEntry("src_count", load.items())
                .containsEntry("load_count", load.items() - load.failures()).containsEntry("error_count", load.failures()));
        assertThat(masters.get(masters.size() - 1)).matches(ClusterLoad::isFinal);

        final Map<Object, String> items = new HashMap<>();
        final Map<Object, Object> statuses = new HashMap<>();
        for (final Map<String, Object> detail : load.details()) {
            final String file = detail.get("file_path") + " " + detail.get("file_name");
            assertThat(items.merge(detail.get("detail_seq"), file, (before, after) -> before))
                    .as("the file of detail_seq %s", detail.get("detail_seq")).isEqualTo(file);
            statuses.put(detail.get("detail_seq"), detail.get("status"));
            if (detail.get("status").equals("FAIL")) {
                assertThat((String) detail.get("line_content")).matches(load::isBroken);
            }
        }
        assertThat(items).hasSize(load.items());
        assertThat(items.values().stream().collect(Collectors.groupingBy(file -> file, Collectors.counting())).values())
                .as("numbers of each file").containsOnly((long) ClusterLoad.LINES);
        assertThat(statuses.values()).filteredOn("FAIL"::equals).hasSize(load.failures());
        assertThat(statuses.values()).filteredOn("SUCCESS"::equals).hasSize(load.items() - load.failures());
        assertThat(load.queued()).containsEntry("not logged", 0).containsEntry("not split", 0)
                .containsEntry("master not written", 0).containsEntry("detail not written", 0);
    }
}
