package dev.rowhash.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;

/** Two NiFi nodes on the loopback address that share one flow, and the ZooKeeper that keeps their state. */
public final class NifiCluster implements AutoCloseable {
    private static final int NODES = 2;
    private static final Duration DEADLINE = Duration.ofSeconds(180);

    private final ZooKeeperServer zooKeeper;
    private final List<NifiServer> nodes = new ArrayList<>();

    private NifiCluster(final ZooKeeperServer zooKeeper) {
        this.zooKeeper = zooKeeper;
    }

    public static NifiCluster start(final NifiVersion version, final Path nar) {
        final NifiCluster cluster = new NifiCluster(ZooKeeperServer.start(version));
        try {
            cluster.startNodes(version, nar);
            cluster.awaitConnected();
            return cluster;
        } catch (final RuntimeFailure e) {
            cluster.close();
            throw e;
        }
    }

    /** At the same time: the first one waits for the other before both agree on a flow. */
    private void startNodes(final NifiVersion version, final Path nar) {
        final List<CompletableFuture<NifiServer>> starts = IntStream.range(0, NODES)
                .mapToObj(node -> NifiServer.of(version).extension(nar).nodeOf(zooKeeper, NODES))
                .map(builder -> CompletableFuture.supplyAsync(builder::start)).toList();
        RuntimeFailure failure = null;
        for (final CompletableFuture<NifiServer> start : starts) {
            try {
                nodes.add(start.join());
            } catch (final CompletionException e) {
                failure = new RuntimeFailure("A node of the cluster did not start: " + e.getCause().getMessage(), e);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    public List<NifiServer> nodes() {
        return List.copyOf(nodes);
    }

    public ZooKeeperServer zooKeeper() {
        return zooKeeper;
    }

    /** Waits until every node says that all are connected: one that has just lost its coordinator may be the last to know. */
    public void awaitConnected() {
        Await.until("the nodes to be connected", DEADLINE, () -> nodes.stream().allMatch(node -> connected(node) == NODES));
    }

    /** Waits until a node knows that another one is gone: until then it refuses what has to be asked of all. */
    public void awaitAlone(final NifiServer node) {
        Await.until("the lost node to be disconnected", DEADLINE, () -> connected(node) == 1);
    }

    private static int connected(final NifiServer node) {
        try {
            final JsonNode summary = node.client().get("/flow/cluster/summary").path("clusterSummary");
            return summary.path("connectedToCluster").asBoolean() ? summary.path("connectedNodeCount").asInt() : 0;
        } catch (final RuntimeFailure e) {
            // It has no coordinator at the moment.
            return 0;
        }
    }

    @Override
    public void close() {
        nodes.forEach(NifiServer::close);
        zooKeeper.close();
    }
}
