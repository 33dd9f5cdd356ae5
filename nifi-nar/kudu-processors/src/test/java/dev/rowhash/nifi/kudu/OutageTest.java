package dev.rowhash.nifi.kudu;

import static dev.rowhash.nifi.kudu.Rows.row;
import static dev.rowhash.nifi.kudu.Table.cell;
import static dev.rowhash.nifi.kudu.Table.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowhash.runtime.Await;
import dev.rowhash.runtime.KuduServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kudu.Type;
import org.junit.jupiter.api.Test;

/** Kudu goes away and comes back: nothing is lost, nothing blocks for long, nothing needs a hand. */
class OutageTest {

    private static final int ROWS = 10_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final Duration DEADLINE = Duration.ofSeconds(120);
    /** For a machine that is busy with other things too. */
    private static final Duration SLACK = Duration.ofSeconds(20);

    @Test
    void whereNobodyListensTheFlowFilesStayQueuedAndThatIsFoundOutAtOnce() throws IOException {
        final int port;
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = closed.getLocalPort();
        }
        final Sink sink = new Sink("127.0.0.1:" + port, "table").enqueue(row("id", "a")).enqueue(row("id", "b"));
        final long start = System.nanoTime();

        sink.trigger();
        assertThat(sink.hasYielded()).isTrue();
        sink.trigger().trigger();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).as("the operation time-out is 30 s").isLessThan(SLACK);
        assertThat(sink.queued()).isEqualTo(2);
        assertThat(sink.success().size() + sink.failure().size() + sink.retry().size()).isZero();
        assertThat(sink.runner().getLogger().getErrorMessages()).as("told once").singleElement().satisfies(message ->
                assertThat(message.getMsg()).contains("No Kudu master can be reached"));
        sink.stop();
    }

    @Test
    void killedInMidFlushAtTenMomentsItHoldsExactlyTheRowsAfterItsReturn() {
        try (KuduServer kudu = KuduServer.start()) {
            for (int moment = 0; moment < 10; moment++) {
                final Table table = Table.create(kudu, key("id", Type.INT32), cell("text", Type.STRING));
                final Sink sink = new Sink(kudu, table.name()).set("Max Records per Batch", "500")
                        .set("Kudu Operation Timeout", TIMEOUT.toMillis() + " ms");
                final List<Map<String, Object>> rows = IntStream.range(0, ROWS)
                        .mapToObj(i -> row("id", i, "text", "가나다 " + i)).collect(Collectors.toList());
                sink.enqueue(rows, Map.of()).enqueue(row("id", ROWS, "text", "the last"));
                sink.at(ROWS * moment / 10 + 1, kudu::kill);
                final long start = System.nanoTime();

                sink.trigger();

                assertThat(sink.queued()).as("while Kudu is away").isEqualTo(2);
                assertThat(sink.hasYielded()).isTrue();
                sink.trigger();
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(TIMEOUT.multipliedBy(2).plus(SLACK));
                kudu.restart();
                Await.until("the rows to be loaded", DEADLINE, () -> sink.trigger().queued() == 0);
                assertThat(sink.success()).as("killed after " + moment + " tenths").hasSize(2);
                assertThat(sink.failure()).isEmpty();
                assertThat(table.column("text", "id")).hasSize(ROWS + 1).containsEntry(ROWS, "the last")
                        .containsEntry(0, "가나다 0").containsEntry(ROWS - 1, "가나다 " + (ROWS - 1));
                sink.stop();
                table.drop();
            }
        }
    }

    @Test
    void whereTheTabletServerAloneIsAwayItsTableWaitsAndNothingElseDoes() {
        try (KuduServer kudu = KuduServer.start()) {
            final Table table = Table.create(kudu, key("id", Type.STRING), cell("text", Type.STRING));
            final Map<String, String> there = Map.of("table", table.name());
            final Sink sink = new Sink(kudu, "${table}").set("Kudu Operation Timeout", TIMEOUT.toMillis() + " ms");
            sink.enqueue(List.of(row("id", "a")), there).trigger();
            kudu.killTabletServer();
            sink.enqueue(List.of(row("id", "b")), there).enqueue(List.of(row("id", "c")), Map.of("table", "db.missing"))
                    .enqueue(List.of(row("id", "d")), there).enqueue(List.of(row("id", "e")), Map.of());

            sink.trigger();

            assertThat(sink.queued()).isEqualTo(4);
            assertThat(sink.runner().getLogger().getErrorMessages()).singleElement().satisfies(message ->
                    assertThat(message.getMsg()).contains("stay queued", "Kudu's master answers, but no server takes the rows"));
            sink.trigger();
            assertThat(sink.queued()).as("those of the table").isEqualTo(2);
            assertThat(sink.retry()).hasSize(1);
            assertThat(sink.failure()).hasSize(1);

            kudu.kill();
            kudu.restart();
            Await.until("the rows to be loaded", DEADLINE, () -> sink.trigger().queued() == 0);
            assertThat(sink.success()).hasSize(3);
            assertThat(table.column("text", "id")).containsOnlyKeys("a", "b", "d");
            sink.stop();
        }
    }

    @Test
    void aTableThatIsOpenIsNotOpenedAgainSoThatItNeedsNoMaster() {
        try (KuduServer kudu = KuduServer.start()) {
            final Table table = Table.create(kudu, key("id", Type.INT32), cell("text", Type.STRING));
            final Sink sink = new Sink(kudu, table.name()).set("Kudu Operation Timeout", TIMEOUT.toMillis() + " ms");
            sink.enqueue(IntStream.range(0, 100).mapToObj(i -> row("id", i)).collect(Collectors.toList()), Map.of()).trigger();
            kudu.killMaster();

            sink.enqueue(IntStream.range(100, 200).mapToObj(i -> row("id", i)).collect(Collectors.toList()), Map.of())
                    .enqueue(row("id", 200)).trigger();

            assertThat(sink.success()).hasSize(3);
            kudu.kill();
            kudu.restart();
            assertThat(table.rows()).hasSize(201);
            sink.stop();
        }
    }

    @Test
    void aPauseThatIsShorterThanTheTimeoutIsNotEvenNoticed() {
        try (KuduServer kudu = KuduServer.start()) {
            final Table table = Table.create(kudu, key("id", Type.INT32), cell("text", Type.STRING));
            final Sink sink = new Sink(kudu, table.name());
            sink.enqueue(IntStream.range(0, ROWS).mapToObj(i -> row("id", i)).collect(Collectors.toList()), Map.of());
            sink.at(ROWS / 2, () -> {
                kudu.kill();
                kudu.restart();
            });

            sink.trigger();

            assertThat(sink.success()).hasSize(1);
            assertThat(table.rows()).hasSize(ROWS);
            sink.stop();
        }
    }
}
