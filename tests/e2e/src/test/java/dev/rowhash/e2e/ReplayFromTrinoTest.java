package dev.rowhash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rowhash.runtime.Component;
import dev.rowhash.runtime.Flow;
import dev.rowhash.runtime.FlowProcessor;
import dev.rowhash.runtime.FlowQueue;
import dev.rowhash.runtime.FlowQueue.FlowFile;
import dev.rowhash.runtime.KuduServer;
import dev.rowhash.runtime.LoadLogFlow;
import dev.rowhash.runtime.LoadLogTables;
import dev.rowhash.runtime.LoadLogTables.Table;
import dev.rowhash.runtime.NifiServer;
import dev.rowhash.runtime.NifiVersion;
import dev.rowhash.runtime.Project;
import dev.rowhash.runtime.SqlScript;
import dev.rowhash.runtime.TrinoServer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The re-run query of docs/sql/load_log as NiFi runs it: ExecuteSQLRecord asks a real Trino over a real Kudu, and
 * ReplayLoadLog makes items of the answer. NiFi is in Seoul, where a time that passes as text would be nine hours off.
 */
class ReplayFromTrinoTest {
    private static final SqlScript QUERIES = SqlScript.read("docs/sql/load_log/queries.trino.sql");
    private static final int RERUN = 3;
    private static final List<String> ROUTES = List.of("row", "line", "file", "message", "record", "exhausted");
    private static final String BATCH = "20260302090000";
    private static final Map<String, String> TABLE = Map.of("regn", "KR", "db_name", "bronze", "table_name", "calls");
    private static final Instant CREATED = Instant.parse("2026-03-01T15:30:01.234Z");
    private static final Instant BEGAN = Instant.parse("2026-03-01T15:29:59.876Z");
    /** More than a double can tell from its neighbour. */
    private static final long FAR_OFFSET = 9_007_199_254_740_993L;
    private static final String LINE = "2026-03-02 09:00:00\t홍길동\t\"각\" 'quoted' 😀\t\\";
    private static final String ROW = "{\"ts\":\"2026-03-02 09:00:00\",\"input\":\"한글 \\\"인용\\\"\",\"clickid\":null}";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TypeReference<Map<String, Object>> RECORD = new TypeReference<>() {
    };

    private static KuduServer kudu;
    private static TrinoServer trino;

    private LoadLogTables log;
    private FlowProcessor source;
    private FlowQueue originals;
    private FlowQueue claims;
    private final Map<String, FlowQueue> items = new LinkedHashMap<>();
    private int queries;

    @BeforeAll
    static void startServers() {
        kudu = KuduServer.start();
        trino = TrinoServer.start(kudu);
    }

    @AfterAll
    static void stopServers() {
        if (trino != null) {
            trino.close();
        }
        if (kudu != null) {
            kudu.close();
        }
    }

    @ParameterizedTest
    @EnumSource(NifiVersion.class)
    void eachFailureIsPickedOnceAndComesWithAllThatItNeeds(final NifiVersion version) {
        log = LoadLogTables.create(kudu);
        master("NAS", 9, 4, 5);
        master("KAFKA", 4, 2, 2);
        detail("NAS", 1, "FAIL", 0, Map.of("line_content", LINE, "file_path", "/로그/", "file_name", "calls.log"));
        detail("NAS", 2, "FAIL", 2, Map.of("line_content", ROW));
        detail("NAS", 3, "FAIL", 1, Map.of("file_path", "/로그/", "file_name", "calls.log", "record_key", "3"));
        detail("NAS", 4, "FAIL", 3, Map.of("line_content", "no retry is left"));
        detail("NAS", 5, "SUCCESS", 1, Map.of("line_content", "loaded"));
        detail("NAS", 6, "RUNNING", 0, Map.of("line_content", "picked and on its way", "updated_dt", minutesAgo(14)));
        detail("NAS", 7, "RUNNING", 0, Map.of("line_content", "picked and lost", "updated_dt", minutesAgo(16)));
        detail("KAFKA", 1, "FAIL", 0, Map.of("kafka_topic", "calls", "kafka_partition", 1, "kafka_offset", FAR_OFFSET,
                "kafka_category", "copilot", "kafka_svc", "요약"));
        detail("DB", 8, "FAIL", 0, Map.of("record_key", "id=가나다"));

        try (NifiServer nifi = NifiServer.of(version).extension(Project.nar()).jvmArguments("-Duser.timezone=Asia/Seoul").start()) {
            build(nifi);

            query("NAS");
            assertThat(sizes()).containsExactly(entry("row", 1), entry("line", 2), entry("file", 1), entry("message", 0),
                    entry("record", 0), entry("exhausted", 0));
            final FlowFile row = item("row", "2");
            assertThat(row.content()).isEqualTo(ROW);
            assertThat(row.attributes()).containsEntry("load.retry_count", "3");
            final FlowFile line = item("line", "1");
            assertThat(line.content()).isEqualTo(LINE);
            assertThat(line.attributes()).containsAllEntriesOf(TABLE).containsEntry("src_type", "NAS")
                    .containsEntry("base_dts", BATCH).containsEntry("load.retry_count", "1")
                    .containsEntry("absolute.path", "/로그/").containsEntry("filename", "calls.log")
                    .containsEntry("load.src_count", "9").containsEntry("load.load_count", "4")
                    .containsEntry("load.error_count", "5").containsEntry("load.min_detail_seq", "1")
                    .containsEntry("load.max_detail_seq", "7")
                    .containsEntry("load.start_ts", Long.toString(BEGAN.toEpochMilli()));
            assertThat(item("line", "7").content()).isEqualTo("picked and lost");
            final FlowFile file = item("file", "3");
            assertThat(file.content()).isEmpty();
            assertThat(file.attributes()).containsEntry("load.item", "3").containsEntry("filename", "calls.log");

            query("KAFKA");
            assertThat(item("message", "1").attributes()).containsEntry("kafka.topic", "calls")
                    .containsEntry("kafka.partition", "1").containsEntry("kafka.offset", Long.toString(FAR_OFFSET))
                    .containsEntry("kafka_category", "copilot").containsEntry("kafka_svc", "요약")
                    .containsEntry("load.src_count", "4");

            query("DB");
            assertThat(item("record", "8").attributes()).containsEntry("record_key", "id=가나다")
                    .doesNotContainKeys("load.src_count", "load.start_ts");

            claim();
            final Map<String, Integer> picked = sizes();
            List.of("NAS", "KAFKA", "DB").forEach(this::query);
            assertThat(sizes()).as("after the same query once more").isEqualTo(picked);
            assertThat(claims.size()).isEqualTo(3);
        }
    }

    private void build(final NifiServer nifi) {
        final Flow flow = Flow.create(nifi.client(), "replay");
        final String pool = flow.enable(Component.of("DBCPConnectionPool")
                .set("Database Connection URL", trino.jdbcUrl(LoadLogTables.SCHEMA))
                .set("Database Driver Class Name", TrinoServer.DRIVER)
                .set("Database Driver Location(s)", TrinoServer.driver().toString()));
        final String writer = flow.enable(Component.of("JsonRecordSetWriter"));
        final String reader = flow.enable(Component.of("JsonTreeReader"));
        source = flow.add(Component.of("GenerateFlowFile"));
        final FlowProcessor query = flow.add(Component.of("ExecuteSQLRecord")
                .set("Database Connection Pooling Service", pool)
                .set(nifi.version() == NifiVersion.V1_18_0 ? "SQL select query" : "SQL Query", QUERIES.statements().get(RERUN - 1))
                .set("Record Writer", writer));
        final FlowProcessor replay = flow.add(Component.of("ReplayLoadLog").set("Record Reader", reader));
        flow.connect(source, query, "success");
        flow.connect(query, replay, "success");
        flow.keep(query, "query failed", "failure");
        items.clear();
        ROUTES.forEach(route -> items.put(route, flow.keep(replay, route, route)));
        claims = flow.keep(replay, "claims", "claim");
        originals = flow.keep(replay, "originals", "original");
        flow.keep(replay, "cannot be replayed", "failure");
        queries = 0;
        query.start();
        replay.start();
    }

    /** Asks what failed of one source, and waits until the answer is worked off. */
    private void query(final String sourceType) {
        final Map<String, String> attributes = new HashMap<>(TABLE);
        attributes.put("src_type", sourceType);
        LoadLogFlow.send(source, "query", attributes);
        queries++;
        originals.awaitSize(queries);
    }

    private Map<String, Integer> sizes() {
        final Map<String, Integer> sizes = new LinkedHashMap<>();
        items.forEach((route, queue) -> sizes.put(route, queue.size()));
        return sizes;
    }

    private FlowFile item(final String route, final String detailSeq) {
        final FlowFile item = items.get(route).flowFiles().stream()
                .filter(flowFile -> detailSeq.equals(flowFile.attribute("load.detail_seq"))).findFirst().orElseThrow();
        assertThat(item.attributes()).containsEntry("load.created_dt", Long.toString(CREATED.toEpochMilli()));
        return item;
    }

    /** Upserts the claims, as the sink of a flow does. */
    private void claim() {
        final Instant before = Instant.now();
        final List<Map<String, Object>> rows = claims.flowFiles().stream().flatMap(claim -> claim.content().lines())
                .map(ReplayFromTrinoTest::row).toList();
        assertThat(rows).extracting(row -> row.get("src_type") + " " + row.get("detail_seq")).containsExactlyInAnyOrder(
                "NAS 1", "NAS 2", "NAS 3", "NAS 7", "KAFKA 1", "DB 8");
        assertThat(rows).allSatisfy(row -> {
            assertThat(row).containsEntry("status", "RUNNING");
            assertThat((Integer) row.get("retry_count")).as("each pick is a retry").isPositive();
            assertThat((Instant) row.get("updated_dt")).isBetween(before.minus(1, ChronoUnit.MINUTES), before);
        });
        rows.forEach(row -> log.upsert(Table.DETAIL, row));
        assertThat(log.rows(Table.DETAIL)).allSatisfy(row -> assertThat(row).containsEntry("created_dt", CREATED));
    }

    private static Map<String, Object> row(final String claim) {
        try {
            final Map<String, Object> row = JSON.readValue(claim, RECORD);
            row.computeIfPresent("updated_dt", (column, millis) -> Instant.ofEpochMilli((Long) millis));
            return row;
        } catch (final JsonProcessingException e) {
            throw new AssertionError("The claim is not JSON: " + claim, e);
        }
    }

    private static Instant minutesAgo(final int minutes) {
        return Instant.now().minus(Duration.ofMinutes(minutes)).truncatedTo(ChronoUnit.MILLIS);
    }

    private void master(final String sourceType, final int read, final int loaded, final int failed) {
        final Map<String, Object> cells = new HashMap<>(TABLE);
        cells.putAll(Map.of("src_type", sourceType, "base_dts", BATCH, "base_dt", BATCH.substring(0, 8), "status", "PARTIAL",
                "src_count", read, "load_count", loaded, "error_count", failed));
        cells.putAll(Map.of("start_ts", BEGAN, "created_dt", BEGAN));
        log.upsert(Table.MASTER, cells);
    }

    private void detail(final String sourceType, final int seq, final String status, final int retries,
            final Map<String, ?> others) {
        final Map<String, Object> cells = new HashMap<>(TABLE);
        cells.putAll(Map.of("src_type", sourceType, "base_dts", BATCH, "detail_seq", seq, "base_dt", BATCH.substring(0, 8),
                "status", status, "error_message", "no match", "error_processor", "ExtractText", "retry_count", retries,
                "created_dt", CREATED, "updated_dt", CREATED));
        cells.putAll(others);
        log.upsert(Table.DETAIL, cells);
    }
}
