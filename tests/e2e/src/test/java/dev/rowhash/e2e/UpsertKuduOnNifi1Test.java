package dev.rowhash.e2e;

import dev.rowhash.runtime.NifiServer;
import dev.rowhash.runtime.NifiVersion;
import dev.rowhash.runtime.Project;
import org.junit.jupiter.api.extension.RegisterExtension;

/** UpsertKudu on NiFi 1.18.0, beside PutKudu. */
class UpsertKuduOnNifi1Test extends UpsertKuduFlow {
    @RegisterExtension
    static final RunningNifi NIFI = new RunningNifi(() -> NifiServer.of(NifiVersion.V1_18_0).extension(Project.nar())
            .extension(Project.kuduNar()).jvmArguments(ZONE));

    @Override
    NifiServer nifi() {
        return NIFI.server();
    }
}
