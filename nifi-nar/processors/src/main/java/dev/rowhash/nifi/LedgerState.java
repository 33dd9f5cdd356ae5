package dev.rowhash.nifi;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.nifi.components.state.Scope;
import org.apache.nifi.components.state.StateManager;
import org.apache.nifi.components.state.StateMap;
import org.apache.nifi.context.ClusterContext;
import org.apache.nifi.controller.NodeTypeProvider;
import org.apache.nifi.processor.ProcessContext;

/** The ledger's texts in the state manager, one for the whole cluster, changed by compare-and-swap. */
final class LedgerState {

    /** How many texts there are. Always there, so that a state that was written once is never empty. */
    private static final String PARTS = "ledger.parts";
    private static final String PART = "ledger.";

    /** The state at one moment. */
    static final class Snapshot {
        private final StateMap map;
        private final List<String> texts;

        private Snapshot(final StateMap map, final List<String> texts) {
            this.map = map;
            this.texts = texts;
        }

        List<String> texts() {
            return texts;
        }
    }

    private final StateManager manager;
    private final ClusterContext cluster;
    private final NodeTypeProvider node;

    LedgerState(final ProcessContext context, final NodeTypeProvider node) {
        this.manager = context.getStateManager();
        this.cluster = context;
        this.node = node;
    }

    Snapshot read() throws LedgerUnavailable {
        requireCluster();
        try {
            StateMap map = manager.getState(Scope.CLUSTER);
            if (map.toMap().isEmpty()) {
                begin();
                map = manager.getState(Scope.CLUSTER);
            }
            return new Snapshot(map, texts(map.toMap()));
        } catch (final IOException e) {
            throw unreachable(e);
        }
    }

    /** The texts without making a state where there is none. */
    List<String> look() throws LedgerUnavailable {
        requireCluster();
        try {
            return texts(manager.getState(Scope.CLUSTER).toMap());
        } catch (final IOException e) {
            throw unreachable(e);
        }
    }

    /** Whether the state was still as it was read, and is the new one now. */
    boolean swap(final Snapshot before, final List<String> texts) throws LedgerUnavailable {
        if (texts.equals(before.texts)) {
            return true;
        }
        final boolean swapped;
        try {
            swapped = manager.replace(before.map, map(texts), Scope.CLUSTER);
        } catch (final IOException e) {
            throw unreachable(e);
        }
        // A node that was disconnected meanwhile may have written where the others never look.
        requireCluster();
        return swapped;
    }

    /**
     * Makes the first state. It cannot be made by compare-and-swap: there is nothing to compare
     * with, and on NiFi 1.x the swap would then overwrite what another node has just written. So
     * only one node makes it.
     */
    private void begin() throws IOException, LedgerUnavailable {
        if (node.isClustered() && !node.isPrimary()) {
            throw new LedgerUnavailable("The load log has no state yet, and only the cluster's primary node makes the first"
                    + " one: the FlowFiles stay queued until it has. If this lasts, check that the primary node is connected");
        }
        manager.setState(map(Collections.emptyList()), Scope.CLUSTER);
    }

    /** A node that is not connected would be given a state of its own in place of the cluster's. */
    private void requireCluster() throws LedgerUnavailable {
        if (node.isConfiguredForClustering() && !cluster.isConnectedToCluster()) {
            throw new LedgerUnavailable("This node is not connected to its cluster, so it cannot reach the load log's state:"
                    + " the FlowFiles stay queued. Connect the node again, or offload it");
        }
    }

    private static List<String> texts(final Map<String, String> map) {
        final List<String> texts = new ArrayList<>();
        for (int part = 0; map.containsKey(PART + part); part++) {
            texts.add(map.get(PART + part));
        }
        return texts;
    }

    private static Map<String, String> map(final List<String> texts) {
        final Map<String, String> map = new HashMap<>();
        map.put(PARTS, Integer.toString(texts.size()));
        for (int part = 0; part < texts.size(); part++) {
            map.put(PART + part, texts.get(part));
        }
        return map;
    }

    private static LedgerUnavailable unreachable(final IOException e) {
        return new LedgerUnavailable("The load log's state cannot be reached: " + e.getMessage() + ". The FlowFiles stay"
                + " queued and nothing is lost; check ZooKeeper, or whichever provider state-management.xml names for the"
                + " cluster", e);
    }
}
