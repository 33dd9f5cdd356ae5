package dev.rowhash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

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

/**
 * NiFi 1.18.0 in a JVM whose default charset cannot hold Hangul and whose language folds I and i its own way, with a
 * native library that panics when a test asks for it.
 */
class UnusualJvmTest {
    private static final Path LIBRARY = Project.root().resolve(
            System.getProperty("rowhash.test.hooks", "target/native-test-hooks/librowhash.so"));
    private static final String PANIC = "rowhash-test-hook:panic";

    @RegisterExtension
    static final RunningNifi NIFI = new RunningNifi(() -> NifiServer.of(NifiVersion.V1_18_0).extension(Project.nar())
            .jvmArguments("-Dfile.encoding=ISO-8859-1", "-Duser.language=tr", "-Duser.country=TR",
                    "-Ddev.rowhash.library.path=" + LIBRARY));

    @Test
    void aLogInKoreanHasTheSameHashes() throws IOException {
        final Path outbox = NIFI.server().data("outbox");
        final NasCallFlow flow = NasCallFlow.intoFiles(NIFI.server(), outbox, "korean", NasCallFlow.computeRowHash());
        final List<NasCall> log = SampleLog.calls(3, 200);

        flow.load(log);

        assertThat(flow.rejects()).isEmpty();
        assertThat(JsonRows.read(outbox)).containsExactlyInAnyOrderElementsOf(log.stream().map(StoredCall::of).toList());
    }

    @Test
    void columnNamesThatDifferInTheCaseOfIAreDifferentColumns() {
        final Map<String, String> row = Map.of("Id", "한글", "ID", "😀", "id", "I", "ıd", "i", "İd", "x");

        assertThat(RowFlow.of(NIFI.server(), String.join(",", row.keySet())).hashOf(row)).isEqualTo(ReferenceHash.of(row));
    }

    @Test
    void aPanicInTheLibraryFailsItsRowOnlyAndNifiRunsOn() {
        final RowFlow flow = RowFlow.of(NIFI.server(), "a,b");
        final Map<String, String> first = Map.of("a", "1", "b", "x");
        final Map<String, String> last = Map.of("a", "3", "b", "z");

        final RowFlow.Result result = flow.run(List.of(first, Map.of("a", "2", "b", PANIC), last));

        assertThat(result.failed()).singleElement().satisfies(failed -> {
            assertThat(failed.attribute("a")).isEqualTo("2");
            assertThat(failed.attribute("error_message")).contains("could not be hashed", "panic");
            assertThat(failed.attribute("error_processor")).isEqualTo("ComputeRowHash");
        });
        assertThat(result.succeeded()).extracting(flowFile -> flowFile.attribute(NasCall.ROW_HASH))
                .containsExactlyInAnyOrder(ReferenceHash.of(first), ReferenceHash.of(last));
        assertThat(NIFI.server().isRunning()).isTrue();
        assertThat(flow.hashOf(first)).as("the next row").isEqualTo(ReferenceHash.of(first));
    }
}
