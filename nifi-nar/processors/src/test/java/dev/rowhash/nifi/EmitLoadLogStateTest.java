package dev.rowhash.nifi;

import static dev.rowhash.nifi.LoadLogFlow.failed;
import static dev.rowhash.nifi.LoadLogFlow.item;
import static dev.rowhash.nifi.LoadLogFlow.nas;
import static dev.rowhash.nifi.LoadLogFlow.original;
import static dev.rowhash.nifi.LoadLogFlow.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowhash.nifi.jni.LoadLedger;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.nifi.components.state.Scope;
import org.apache.nifi.components.state.StateManager;
import org.apache.nifi.components.state.StateMap;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.exception.ProcessException;
import org.apache.nifi.util.MockProcessContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The state is shared by all nodes, can fail at any moment, and has limits. */
class EmitLoadLogStateTest {

    @Test
    void aStateThatCannotBeReadLeavesTheFlowFilesQueued() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.runner.getStateManager().setFailOnStateGet(Scope.CLUSTER, true);
        flow.enqueueItems("u", 3).trigger();
        assertThatNothingHappened(flow, 3, "cannot be reached");

        flow.runner.getStateManager().setFailOnStateGet(Scope.CLUSTER, false);
        flow.trigger().settle();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 3 = 3 + 0");
        assertThat(flow.logged).hasSize(3);
    }

    @Test
    void aStateThatCannotBeWrittenLeavesTheFlowFilesQueued() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.trigger();
        flow.runner.getStateManager().setFailOnStateSet(Scope.CLUSTER, true);
        flow.enqueueItems("u", 3).trigger();
        assertThatNothingHappened(flow, 3, "cannot be reached");

        flow.runner.getStateManager().setFailOnStateSet(Scope.CLUSTER, false);
        flow.trigger().settle();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 3 = 3 + 0");
    }

    @Test
    void aSwapThatAnotherNodeWonIsTriedAgainFromTheNewState() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.trigger();
        final SharedState state = new SharedState();
        state.lostSwaps.set(3);
        flow.enqueue("1", item("u", 1, 1, failed("PutKudu", "x")));
        trigger(flow, state);

        assertThat(flow.tables.master()).isEqualTo("RUNNING 1 = 0 + 1");
        assertThat(flow.tables.details()).hasSize(1);
        assertThat(flow.logged).hasSize(1);
        assertThat(state.lostSwaps).hasValue(0);
    }

    @Test
    void aSwapThatIsLostForEverLeavesTheFlowFilesQueued() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.trigger();
        final SharedState state = new SharedState();
        state.lostSwaps.set(Integer.MAX_VALUE);
        flow.enqueueItems("u", 2);
        trigger(flow, state);
        assertThatNothingHappened(flow, 2, "changed by other nodes 100 times");
    }

    @Test
    void twoNodesCountEachEventOnce() throws Exception {
        final SharedState state = new SharedState();
        final List<LoadLogFlow> nodes = List.of(new LoadLogFlow("Batch Size", "7"), new LoadLogFlow("Batch Size", "7"));
        nodes.forEach(LoadLogFlow::trigger);
        for (int i = 1; i <= 1000; i++) {
            final String[] outcome = i % 10 == 0 ? failed("PutKudu", "x") : new String[0];
            nodes.get(i % 2).enqueue("x", item("u", i, 1000, outcome));
            if (i % 5 == 0) {
                // A connection that is balanced anew can repeat what it has sent.
                nodes.get((i + 1) % 2).enqueue("x", item("u", i, 1000, outcome));
            }
        }
        runAtOnce(nodes, state);
        nodes.forEach(LoadLogFlow::drain);
        nodes.get(0).clock.addAndGet(5000);
        trigger(nodes.get(0), state);

        final LoadLogTables tables = new LoadLogTables();
        nodes.forEach(node -> node.details.forEach(tables::upsertDetails));
        assertThat(nodes.get(0).tables.master()).isEqualTo("PARTIAL 1000 = 900 + 100");
        assertThat(tables.details()).hasSize(100).allSatisfy((seq, row) -> assertThat(seq % 10).isZero());
        assertThat(state.swaps).as("one swap a trigger, and one for its confirmation").hasValueLessThan(2 * (1200 / 7 + 10));
    }

    private static void runAtOnce(final List<LoadLogFlow> nodes, final SharedState state) throws Exception {
        final ExecutorService executor = Executors.newFixedThreadPool(nodes.size());
        try {
            final List<Future<?>> running = new ArrayList<>();
            for (final LoadLogFlow node : nodes) {
                running.add(executor.submit(() -> {
                    while (node.runner.getQueueSize().getObjectCount() > 0) {
                        node.processor.onTrigger(context(node, state), node.runner.getProcessSessionFactory());
                    }
                }));
            }
            for (final Future<?> node : running) {
                node.get();
            }
        } finally {
            executor.shutdown();
        }
    }

    @Test
    void aSessionThatIsRolledBackAfterTheStateChangedCountsNothingTwice() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.trigger();
        final Runnable enqueue = () -> flow.enqueue("1", item("u", 1, 2))
                .enqueue("2", item("u", 2, 2, failed("PutKudu", "x")));
        enqueue.run();
        triggerWithoutCommit(flow);
        assertThat(flow.state()).containsKey("ledger.0");

        enqueue.run();
        flow.trigger().settle();
        assertThat(flow.tables.master()).isEqualTo("PARTIAL 2 = 1 + 1");
        assertThat(flow.tables.details()).containsOnlyKeys(2);
    }

    @Test
    void aCrashBeforeTheCommitIsMadeGoodByTimeAlone() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueueItems("u", 2).trigger();
        final Map<String, String> confirmed = flow.state();
        flow.clock.addAndGet(5000);

        triggerWithoutCommit(flow);
        assertThat(flow.state()).isNotEqualTo(confirmed);

        flow.trigger();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 2 = 2 + 0");
    }

    @Test
    void aConfirmationThatIsLostOnlyRepeatsTheRecords() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.trigger();
        final SharedState state = new SharedState();
        flow.enqueueItems("u", 1);
        state.swapsUntilFailure.set(1);
        trigger(flow, state);
        assertThat(flow.logged).hasSize(1);
        assertThat(flow.tables.master()).isEqualTo("RUNNING 1 = 1 + 0");
        assertThat(flow.runner.getLogger().getErrorMessages()).isEmpty();
        assertThat(flow.runner.getLogger().getWarnMessages()).hasSize(1);

        state.swapsUntilFailure.set(Integer.MAX_VALUE);
        trigger(flow, state);
        assertThat(flow.tables.statuses()).containsExactly("RUNNING", "RUNNING");
        trigger(flow, state);
        flow.clock.addAndGet(5000);
        trigger(flow, state);
        trigger(flow, state);
        assertThat(flow.tables.statuses()).containsExactly("RUNNING", "RUNNING", "SUCCESS");
    }

    @Test
    void aRestartGoesOnWhereTheStateIs() throws IOException {
        final LoadLogFlow before = new LoadLogFlow();
        before.enqueue("all", original("u", 2)).enqueue("1", item("u", 1, 2)).trigger();

        final LoadLogFlow after = new LoadLogFlow();
        after.runner.getStateManager().setState(before.state(), Scope.CLUSTER);
        after.clock.set(before.clock.get());
        after.enqueue("2", item("u", 2, 2)).trigger().settle();
        assertThat(after.tables.master()).isEqualTo("SUCCESS 2 = 2 + 0");
        assertThat(after.tables.masterRecord().get("start_ts").longValue()).isEqualTo(before.clock.get());
    }

    @Test
    void onlyThePrimaryNodeMakesTheFirstState() {
        final LoadLogFlow flow = clustered();
        flow.runner.setPrimaryNode(false);
        flow.enqueueItems("u", 1).trigger();
        assertThatNothingHappened(flow, 1, "primary node");
        assertThat(flow.state()).isEmpty();

        flow.runner.setPrimaryNode(true);
        flow.trigger();
        assertThat(flow.tables.master()).isEqualTo("RUNNING 1 = 1 + 0");
        flow.runner.setPrimaryNode(false);
        flow.settle();
        assertThat(flow.tables.master()).isEqualTo("SUCCESS 1 = 1 + 0");
    }

    @Test
    void aNodeThatIsNotConnectedKeepsItsFlowFiles() {
        final LoadLogFlow flow = clustered();
        flow.trigger();
        flow.runner.setConnected(false);
        flow.enqueueItems("u", 1).trigger();
        assertThatNothingHappened(flow, 1, "not connected");

        flow.runner.setConnected(true);
        flow.trigger();
        assertThat(flow.tables.master()).isEqualTo("RUNNING 1 = 1 + 0");
    }

    @Test
    void aNodeThatLosesItsConnectionDuringTheSwapKeepsItsFlowFiles() {
        final LoadLogFlow flow = clustered();
        flow.trigger();
        final SharedState state = new SharedState();
        state.afterSwap = () -> flow.runner.setConnected(false);
        flow.enqueueItems("u", 1);
        trigger(flow, state);
        assertThatNothingHappened(flow, 1, "not connected");
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "!", "AAAA", "//8"})
    void aStateThatIsNoneLeavesTheFlowFilesQueuedAndSaysWhatToDo(final String damaged) throws IOException {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.runner.getStateManager().setState(Map.of("ledger.parts", "1", "ledger.0", damaged), Scope.CLUSTER);
        flow.enqueueItems("u", 1).trigger();
        assertThatNothingHappened(flow, 1, "state");
        assertThat(flow.state()).containsEntry("ledger.0", damaged);
    }

    @Test
    void aStateThatIsFullLeavesTheFlowFilesQueuedWhileBatchesEnd() {
        final LoadLogFlow flow = new LoadLogFlow("Batch Timeout", "10 min");
        flow.enqueue("1", item("u", 1, 1)).trigger();

        flow.enqueue(manyRejects(70_000), with(nas(), "base_dts", "20260225150000", "rejects.count", "70000", "error_processor",
                "ComputeRowHash")).settle();
        assertThat(flow.runner.getQueueSize().getObjectCount()).isEqualTo(1);
        assertThat(flow.runner.getLogger().getErrorMessages()).hasSize(1).first()
                .satisfies(line -> assertThat(List.of(line.getArgs()).toString()).contains("open batches", "NiFi's state"));
        assertThat(flow.tables.master()).as("the other batch").isEqualTo("SUCCESS 1 = 1 + 0");
        assertThat(flow.tables.details()).isEmpty();
        flow.after(Duration.ofMinutes(11));
        assertThat(new LoadLedger(Duration.ZERO, Duration.ZERO, Duration.ZERO, false)
                .openBatches(List.of(flow.state().get("ledger.0")))).isZero();
    }

    @Test
    void aBatchThatIsKeptForItsFailuresMakesRoomAndAReplayGoesOn() {
        final LoadLogFlow flow = new LoadLogFlow().now();
        flow.enqueue(manyRejects(20_000), nas("rejects.count", "20000", "error_processor", "ComputeRowHash"))
                .trigger().settle().after(Duration.ofMinutes(11));
        assertThat(flow.runner.getLogger().getWarnMessages()).isEmpty();
        flow.trigger();
        assertThat(flow.runner.getLogger().getWarnMessages()).hasSize(1).first().satisfies(line ->
                assertThat(List.of(line.getArgs())).containsSequence(1, "NAS R01 bronze.nas_copilot_call " + LoadLogFlow.BASE_DTS));
        assertThat(flow.state().get("ledger.0")).hasSizeLessThan(200);

        final String master = flow.tables.master();
        flow.enqueue("late", item("u", 1, 1)).trigger().settle();
        assertThat(flow.refused).hasSize(1);
        assertThat(flow.tables.master()).isEqualTo(master).isEqualTo("FAIL 20000 = 0 + 20000");
    }

    @Test
    void noValueOfTheStateIsTooLongForNiFi() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.enqueue(manyRejects(20_000), nas("rejects.count", "20000", "error_processor", "ComputeRowHash")).trigger();

        assertThat(flow.tables.details()).hasSize(20_000);
        assertThat(flow.state()).hasSizeGreaterThan(2);
        assertThat(flow.state().values()).allSatisfy(value -> assertThat(value.length()).isLessThan(65_536));

        flow.enqueueItems("other", 1).trigger().settle();
        assertThat(flow.tables.master()).isEqualTo("PARTIAL 20001 = 1 + 20000");
    }

    /** Rows far apart, which nothing can compress. */
    private static String manyRejects(final int rows) {
        final StringBuilder rejects = new StringBuilder();
        final Random random = new Random(7);
        for (int row = 0; row < rows; row++) {
            rejects.append("{\"row_index\":").append(1 + random.nextInt(1_000_000_000))
                    .append(",\"error_message\":\"x\",\"line_content\":\"y\"}\n");
        }
        return rejects.toString();
    }

    private static LoadLogFlow clustered() {
        final LoadLogFlow flow = new LoadLogFlow();
        flow.runner.setIsConfiguredForClustering(true);
        flow.runner.setClustered(true);
        flow.runner.setConnected(true);
        flow.runner.setPrimaryNode(true);
        return flow;
    }

    private static void assertThatNothingHappened(final LoadLogFlow flow, final int queued, final String reason) {
        assertThat(flow.runner.getQueueSize().getObjectCount()).isEqualTo(queued);
        assertThat(flow.logged).isEmpty();
        assertThat(flow.refused).isEmpty();
        assertThat(flow.tables.batches()).isZero();
        assertThat(((MockProcessContext) flow.runner.getProcessContext()).isYieldCalled()).isTrue();
        assertThat(flow.runner.getLogger().getErrorMessages()).isNotEmpty().last()
                .satisfies(line -> assertThat(line.getMsg() + Arrays.asList(line.getArgs())).contains(reason, "queued")
                        .contains(queued + ""));
    }

    /** Triggers once with another state manager. */
    private static void trigger(final LoadLogFlow flow, final SharedState state) {
        flow.processor.onTrigger(context(flow, state), flow.runner.getProcessSessionFactory());
        flow.drain();
    }

    /** The state changes, the session does not; what it took is gone from the mock's queue. */
    private static void triggerWithoutCommit(final LoadLogFlow flow) {
        final ProcessSession session = failingToCommit(flow.runner.getProcessSessionFactory().createSession());
        assertThatThrownBy(() -> flow.processor.onTrigger(flow.runner.getProcessContext(), session))
                .isInstanceOf(ProcessException.class);
        flow.runner.clearTransferState();
        assertThat(flow.runner.getQueueSize().getObjectCount()).isZero();
    }

    private static ProcessContext context(final LoadLogFlow flow, final SharedState state) {
        final ProcessContext context = flow.runner.getProcessContext();
        return (ProcessContext) Proxy.newProxyInstance(context.getClass().getClassLoader(),
                new Class<?>[] {ProcessContext.class}, (proxy, method, arguments) -> {
                    try {
                        return method.getName().equals("getStateManager") ? state : method.invoke(context, arguments);
                    } catch (final InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** As a session whose repository is full. */
    private static ProcessSession failingToCommit(final ProcessSession session) {
        return (ProcessSession) Proxy.newProxyInstance(session.getClass().getClassLoader(),
                new Class<?>[] {ProcessSession.class}, (proxy, method, arguments) -> {
                    if (method.getName().startsWith("commit")) {
                        throw new ProcessException("The disk is full");
                    }
                    try {
                        return method.invoke(session, arguments);
                    } catch (final InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** A state manager for several nodes that does a real compare-and-swap, and loses or fails on demand. */
    private static final class SharedState implements StateManager {
        private final AtomicReference<StateMap> state = new AtomicReference<>(map(Map.of()));
        private final AtomicInteger lostSwaps = new AtomicInteger();
        private final AtomicInteger swapsUntilFailure = new AtomicInteger(Integer.MAX_VALUE);
        private final AtomicInteger swaps = new AtomicInteger();
        private Runnable afterSwap = () -> { };

        private static StateMap map(final Map<String, String> values) {
            final Map<String, String> copy = Map.copyOf(values);
            return (StateMap) Proxy.newProxyInstance(StateMap.class.getClassLoader(), new Class<?>[] {StateMap.class},
                    (proxy, method, arguments) -> {
                        assertThat(method.getName()).as("a method that both lines of NiFi have").isIn("get", "toMap");
                        return method.getName().equals("toMap") ? copy : copy.get(arguments[0]);
                    });
        }

        @Override
        public void setState(final Map<String, String> values, final Scope scope) {
            assertThat(scope).isEqualTo(Scope.CLUSTER);
            state.set(map(values));
        }

        @Override
        public StateMap getState(final Scope scope) {
            assertThat(scope).isEqualTo(Scope.CLUSTER);
            return state.get();
        }

        @Override
        public boolean replace(final StateMap before, final Map<String, String> after, final Scope scope) throws IOException {
            assertThat(scope).isEqualTo(Scope.CLUSTER);
            assertThat(before.toMap()).as("a state that was never set cannot be replaced").isNotEmpty();
            if (swapsUntilFailure.getAndDecrement() <= 0) {
                throw new IOException("ConnectionLoss");
            }
            if (lostSwaps.get() > 0) {
                lostSwaps.decrementAndGet();
                return false;
            }
            final boolean swapped = state.compareAndSet(before, map(new HashMap<>(after)));
            swaps.addAndGet(swapped ? 1 : 0);
            afterSwap.run();
            return swapped;
        }

        @Override
        public void clear(final Scope scope) {
            setState(Map.of(), scope);
        }

        /** Only NiFi 2 has this method. */
        public boolean isStateKeyDropSupported() {
            return false;
        }
    }
}
