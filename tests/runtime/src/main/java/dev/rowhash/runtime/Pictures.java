package dev.rowhash.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The pictures of the documentation: real NiFi pages with the flows of this project.
 *
 * <pre>Pictures FOLDER</pre>
 */
public final class Pictures {
    private static final String ROW_HASH_GROUP = "nas_copilot_call";
    private static final String LOAD_LOG_GROUP = "nas-to-kudu";
    private static final String SPRING_BATCH_GROUP = "nas-to-kudu-spring-batch";
    private static final String SPRING_BATCH_TABLES = "/org/springframework/batch/core/schema-postgresql.sql";
    private static final String DATABASE = "postgres";
    private static final int WIDTH = 1600;
    private static final int HEIGHT = 1300;
    private static final long SEED = 20260302L;
    private static final int LINES = 200;

    private final Path nar;
    private final Path kuduNar;
    private final Path folder;

    private Pictures(final Path nar, final Path kuduNar, final Path folder) {
        this.nar = nar;
        this.kuduNar = kuduNar;
        this.folder = folder;
    }

    public static void main(final String[] arguments) {
        if (arguments.length != 1) {
            System.err.println("usage: Pictures FOLDER");
            System.exit(2);
        }
        final Pictures pictures = new Pictures(Project.nar(), Project.kuduNar(), Path.of(arguments[0]));
        pictures.ofNifi1();
        pictures.ofNifi2();
        System.exit(0); // the web socket's threads are no reason to stay
    }

    private void ofNifi1() {
        try (KuduServer kudu = KuduServer.start();
                PostgresServer postgres = PostgresServer.start();
                NifiServer nifi = NifiServer.of(NifiVersion.V1_18_0).extension(nar).start();
                Browser browser = Browser.start(WIDTH, HEIGHT)) {
            final List<NasCall> calls = SampleLog.calls(SEED, LINES);
            NasCallTable.create(kudu);
            NasCallFlow.intoKudu(nifi, kudu, ROW_HASH_GROUP, NasCallFlow.computeRowHash()).load(calls);
            final LoadLogFlow log = LoadLogFlow.upload(nifi, kudu, LoadLogTables.create(kudu), LOAD_LOG_GROUP, Map.of());
            log.start();
            log.load("calls.log", calls.stream().map(NasCall::line).toList());
            createSpringBatchTables(postgres);
            final LoadLogFlow batches = LoadLogFlow.uploadWithSpringBatch(nifi, kudu, LoadLogTables.of(kudu), SPRING_BATCH_GROUP,
                    Map.of());
            batches.processor("Write Spring Batch's history")
                    .configure(Map.of("Database Connection Pooling Service", batches.enable(postgres.pool(DATABASE))));
            batches.start();
            batches.load("calls.log", calls.stream().map(NasCall::line).toList());

            final Page1 page = new Page1(browser, nifi);
            final Place hash = Place.of(nifi, ROW_HASH_GROUP, "ComputeRowHash");
            page.show(hash);
            save(browser, "nifi-1-row-hash-flow");
            page.configure(hash);
            save(browser, "nifi-1-compute-row-hash");
            final Place emit = Place.of(nifi, LOAD_LOG_GROUP, "EmitLoadLog");
            page.show(emit);
            page.zoomOut();
            save(browser, "nifi-1-load-log-flow");
            page.show(emit);
            page.configure(emit);
            save(browser, "nifi-1-emit-load-log");
            final Place replay = Place.of(nifi, LOAD_LOG_GROUP, "ReplayLoadLog");
            page.show(replay);
            page.zoomOut();
            save(browser, "nifi-1-replay-flow");
            page.show(replay);
            page.configure(replay);
            save(browser, "nifi-1-replay-load-log");
            final Place history = Place.of(nifi, SPRING_BATCH_GROUP, "PutSpringBatchMetadata");
            page.show(history, Place.of(nifi, SPRING_BATCH_GROUP, "EmitLoadLog"));
            page.zoomOut();
            save(browser, "nifi-1-spring-batch-flow");
            page.show(history);
            page.configure(history);
            save(browser, "nifi-1-put-spring-batch-metadata");
        }
    }

    private static void createSpringBatchTables(final PostgresServer postgres) {
        try (Connection connection = postgres.connect(DATABASE);
                Statement statement = connection.createStatement();
                InputStream script = Pictures.class.getResourceAsStream(SPRING_BATCH_TABLES)) {
            statement.execute(new String(script.readAllBytes(), StandardCharsets.UTF_8));
        } catch (final SQLException | IOException e) {
            throw new RuntimeFailure("Cannot make Spring Batch's tables", e);
        }
    }

    private void ofNifi2() {
        try (KuduServer kudu = KuduServer.start();
                NifiServer nifi = NifiServer.of(NifiVersion.V2_3_0).extension(nar).extension(kuduNar).start();
                Browser browser = Browser.start(WIDTH, HEIGHT)) {
            NasCallTable.create(kudu);
            NasCallFlow.intoKudu(nifi, kudu, ROW_HASH_GROUP, NasCallFlow.computeRowHash())
                    .load(SampleLog.calls(SEED, LINES));
            final Place hash = Place.of(nifi, ROW_HASH_GROUP, "ComputeRowHash");
            final String address = nifi.page() + "#/process-groups/" + hash.group();
            browser.open(address + "/Processor/" + hash.processor());
            browser.await("the flow to be drawn", "document.querySelectorAll('g.processor').length > 2");
            save(browser, "nifi-2-row-hash-flow");
            properties2(browser, address, hash, "Hash Column");
            save(browser, "nifi-2-compute-row-hash");
            properties2(browser, address, Place.of(nifi, ROW_HASH_GROUP, "UpsertKudu"), "Kudu Masters");
            save(browser, "nifi-2-upsert-kudu");
        }
    }

    private static void properties2(final Browser browser, final String group, final Place place, final String property) {
        browser.open("about:blank"); // or the page would keep its last dialog
        browser.open(group + "/Processor/" + place.processor() + "/edit");
        browser.await("the dialog", "document.querySelector('mat-dialog-container [role=tab]')");
        browser.awaitStill(); // the dialog grows
        browser.click("[...document.querySelectorAll('mat-dialog-container [role=tab]')]"
                + ".find(tab => /properties/i.test(tab.innerText))", 1);
        browser.await("the properties", "/" + property + "/.test(document.querySelector('mat-dialog-container').innerText)");
    }

    private void save(final Browser browser, final String name) {
        final Path file = folder.resolve(name + ".png");
        browser.save(file);
        System.out.println(file);
    }

    /** A processor and the group it is in, by their ids. */
    private record Place(String group, String processor) {
        static Place of(final NifiServer nifi, final String groupName, final String simpleType) {
            final String group = NifiClient.elements(flow(nifi, "root").path("processGroups"))
                    .filter(entity -> entity.path("component").path("name").asText().equals(groupName))
                    .map(entity -> entity.path("id").asText()).findFirst().orElseThrow();
            return new Place(group, NifiClient.elements(flow(nifi, group).path("processors"))
                    .filter(entity -> entity.path("component").path("type").asText().endsWith("." + simpleType))
                    .map(entity -> entity.path("id").asText()).findFirst().orElseThrow());
        }

        private static JsonNode flow(final NifiServer nifi, final String group) {
            return nifi.client().get("/flow/process-groups/" + group).path("processGroupFlow").path("flow");
        }
    }

    /** The page of NiFi 1: it has no addresses for its dialogs. */
    private record Page1(Browser browser, NifiServer nifi) {
        // What runs is shown, not configured.
        private static final String DIALOG = "document.querySelector('#processor-details')";

        void show(final Place place, final Place... others) {
            final String ids = Stream.concat(Stream.of(place), Stream.of(others)).map(Place::processor)
                    .collect(Collectors.joining(","));
            browser.open("about:blank"); // or the page would keep its last dialog
            browser.open(nifi.page() + "?processGroupId=" + place.group() + "&componentIds=" + ids);
            browser.await("the flow to be drawn", "document.querySelectorAll('g.processor').length > 2 && "
                    + name(place));
            browser.awaitStill();
            browser.evaluate("document.querySelectorAll('.graph-control-expansion.fa-minus-square-o')"
                    + ".forEach(panel => panel.click())");
        }

        /** As far as processors still show what passes them. */
        void zoomOut() {
            browser.evaluate("for (let i = 0; i < 2; i++) document.querySelector('#naviagte-zoom-out').click()");
            browser.awaitStill();
        }

        void configure(final Place place) {
            browser.awaitStill();
            browser.click(name(place), 2); // in its middle is the handle that draws connections
            browser.await("the dialog", DIALOG + " && " + DIALOG + ".getBoundingClientRect().width > 100");
            browser.click("[...document.querySelectorAll('#processor-details-tabs .tab')]"
                    + ".find(tab => /properties/i.test(tab.innerText))", 1);
        }

        private static String name(final Place place) {
            return "document.querySelector('[id=\"id-" + place.processor() + "\"] text.processor-name')";
        }
    }
}
