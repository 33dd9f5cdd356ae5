package dev.rowhash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowhash.runtime.Component;
import dev.rowhash.runtime.FlowProcessor.Verification;
import dev.rowhash.runtime.NarManager;
import dev.rowhash.runtime.NasCall;
import dev.rowhash.runtime.NasCallFlow;
import dev.rowhash.runtime.NasCallTable.StoredCall;
import dev.rowhash.runtime.NifiServer;
import dev.rowhash.runtime.NifiVersion;
import dev.rowhash.runtime.Project;
import dev.rowhash.runtime.ReferenceHash;
import dev.rowhash.runtime.SampleLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The same NAR on NiFi 2.3.0, and NiFi 2's ways to have it twice, to replace it and to remove it. */
class Nifi2Test {
    private static final Map<String, String> ROW = Map.of("a", "한글 😀", "b", "x|y", "c", "");

    @RegisterExtension
    static final RunningNifi NIFI = new RunningNifi(() -> NifiServer.of(NifiVersion.V2_3_0).extension(Project.nar()));

    @TempDir
    private Path folder;

    @Test
    void theFlowUpToTheJsonCarriesTheHashes() throws IOException {
        final Path outbox = NIFI.server().data("outbox");
        final NasCallFlow flow = NasCallFlow.intoFiles(NIFI.server(), outbox, "json",
                NasCallFlow.computeRowHash().version(released()));
        final List<NasCall> log = SampleLog.calls(4, 500);

        flow.load(log);

        assertThat(flow.rejects()).isEmpty();
        assertThat(JsonRows.read(outbox)).containsExactlyInAnyOrderElementsOf(log.stream().map(StoredCall::of).toList());
    }

    @Test
    void aFileWithABadRowIsHashedAsContentAndAsRecords() throws IOException {
        final String version = released();
        final FileFlow content = FileFlow.ending(NIFI.server(), group -> Component.of("ComputeRowHash").version(version)
                .set("Columns", "a,b").set("Row Source", "NDJSON Content"));
        final FileFlow.Result hashed = content.load("{\"a\":\"x\",\"b\":1.50}\n{\"a\":[]}\n");
        assertThat(hashed.loaded()).singleElement().satisfies(rows -> assertThat(rows.content())
                .isEqualTo("{\"a\":\"x\",\"b\":1.50,\"row_hash\":\"" + ReferenceHash.of(Map.of("a", "x", "b", "1.5")) + "\"}\n"));
        assertThat(hashed.refused()).singleElement().satisfies(rejects -> assertThat(rejects.attributes())
                .containsEntry("rejects.count", "1").containsEntry("load.count", "2"));

        final FileFlow records = FileFlow.ending(NIFI.server(), group -> Component.of("ComputeRowHash").version(version)
                .set("Columns", "a,b").set("Row Source", "Records")
                .set("Record Reader", group.enable(Component.of("JsonTreeReader")))
                .set("Record Writer", group.enable(Component.of("JsonRecordSetWriter"))));
        assertThat(records.load("{\"a\":\"x\",\"b\":1.50}\n{\"a\":\"y\"}\n").loaded()).singleElement()
                .satisfies(rows -> assertThat(rows.content()).contains(ReferenceHash.of(Map.of("a", "x", "b", "1.5")),
                        ReferenceHash.of(Map.of("a", "y", "b", ""))));
    }

    @Test
    void twoVersionsOfTheNarWorkAtOnce() throws IOException {
        new NarManager(NIFI.server().client()).upload(NarVariant.withVersion(Project.nar(), "0.1.1-beside", folder));

        final RowFlow released = rowFlow(released());
        final RowFlow beside = rowFlow("0.1.1-beside");

        assertThat(released.hashOf(ROW)).isEqualTo(ReferenceHash.of(ROW));
        assertThat(beside.hashOf(ROW)).isEqualTo(ReferenceHash.of(ROW));
        assertThat(released.hashOf(ROW)).as("after the other version's first use").isEqualTo(ReferenceHash.of(ROW));
    }

    @Test
    void aNarThatWasDeletedAndUploadedAgainWorksOn() throws IOException {
        final NarManager nars = new NarManager(NIFI.server().client());
        final Path nar = NarVariant.withVersion(Project.nar(), "0.1.2-replaced", folder);
        final String id = nars.upload(nar);
        final RowFlow flow = rowFlow("0.1.2-replaced");
        assertThat(flow.hashOf(ROW)).isEqualTo(ReferenceHash.of(ROW));

        nars.delete(id);
        assertThat(NIFI.server().client().processorVersions("ComputeRowHash")).doesNotContain("0.1.2-replaced");
        nars.upload(nar);

        assertThat(flow.hashOf(ROW)).isEqualTo(ReferenceHash.of(ROW));
    }

    @Test
    void withoutALibraryForThisPlatformTheProcessorIsInvalidAndSaysWhy() throws IOException {
        new NarManager(NIFI.server().client()).upload(NarVariant.withoutLibraries(Project.nar(), "0.1.3-without", folder));

        assertThat(rowFlow("0.1.3-without").hash().validationErrors()).anyMatch(error ->
                error.contains("native library") && error.contains("Platforms in this NAR: none") && error.contains("Cure: "));
    }

    @Test
    void theVerifyButtonHashesAKnownRow() throws IOException {
        final List<Verification> results = rowFlow(released()).hash().verify(ROW);

        assertThat(results).isNotEmpty().extracting(Verification::outcome).containsOnly("SUCCESSFUL");
    }

    private static String released() throws IOException {
        return NarVariant.version(Project.nar());
    }

    private static RowFlow rowFlow(final String version) {
        return RowFlow.of(NIFI.server(), Component.of("ComputeRowHash").version(version).set("Columns", "a,b,c"));
    }
}
