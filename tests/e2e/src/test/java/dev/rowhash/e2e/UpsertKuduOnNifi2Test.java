package dev.rowhash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowhash.runtime.FlowDefinition;
import dev.rowhash.runtime.LoadLogFlow;
import dev.rowhash.runtime.LoadLogScenario;
import dev.rowhash.runtime.LoadLogScenario.Step;
import dev.rowhash.runtime.LoadLogTables;
import dev.rowhash.runtime.NasCallTable;
import dev.rowhash.runtime.NifiServer;
import dev.rowhash.runtime.NifiVersion;
import dev.rowhash.runtime.Project;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** UpsertKudu on NiFi 2.3.0, where the whole flow with its load log and its replay ends in it. */
class UpsertKuduOnNifi2Test extends UpsertKuduFlow {
    @RegisterExtension
    static final RunningNifi NIFI = new RunningNifi(() -> NifiServer.of(NifiVersion.V2_3_0).extension(Project.nar())
            .extension(Project.kuduNar()).jvmArguments(ZONE));

    @Override
    NifiServer nifi() {
        return NIFI.server();
    }

    @Test
    void whatIsBrokenIsLoggedRepairedAndOnlyThatIsLoadedAgain() {
        final NasCallTable table = NasCallTable.create(KUDU.server());
        final LoadLogFlow flow = LoadLogFlow.upload(nifi(), KUDU.server(), LoadLogTables.create(KUDU.server()), "scenario", Map.of());
        final List<Step> steps = new ArrayList<>();
        final LoadLogScenario scenario = new LoadLogScenario(flow, table);

        scenario.run(steps::add);
        flow.stop();

        assertThat(steps).hasSize(8).allSatisfy(step -> assertThat(step.ok()).as(step.title() + step.checks()).isTrue());
        final Object batch = scenario.batches().get("broken.log");
        assertThat(steps.get(0).details()).filteredOn(row -> row.get("base_dts").equals(batch))
                .filteredOn(row -> row.get("detail_seq").equals(104)).singleElement().satisfies(row -> {
                    assertThat(row).containsEntry("error_processor", "Load into the table").containsEntry("line_content", null);
                    assertThat((String) row.get("error_message")).contains("value too large for column 'output'");
                });
    }

    @Test
    void messagesAreNamedByTheirPartitionAndOffset() {
        final NasCallTable table = NasCallTable.create(KUDU.server());
        final LoadLogFlow flow = upload("kafka");

        OtherSources.messagesAreNamedByTheirPartitionAndOffset(flow, table, "Load into the table");
        flow.stop();
    }

    @Test
    void rowsOfADatabaseAreNamedByTheirKey() {
        final NasCallTable table = NasCallTable.create(KUDU.server());
        final LoadLogFlow flow = upload("database");

        OtherSources.rowsOfADatabaseAreNamedByTheirKey(flow, table, "Load into the table");
        flow.stop();
    }

    private LoadLogFlow upload(final String source) {
        return LoadLogFlow.upload(nifi(), KUDU.server(), LoadLogTables.create(KUDU.server()), source,
                FlowDefinition.read("nifi-nar/flows/" + source + "-to-kudu-upsert.json"));
    }
}
