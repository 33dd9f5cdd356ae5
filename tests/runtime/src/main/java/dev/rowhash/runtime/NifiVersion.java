package dev.rowhash.runtime;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The NiFi versions that can be started, and what is different between them. */
public enum NifiVersion {
    V1_18_0("1.18.0", 17, 17, true) {
        @Override
        Map<String, String> properties() {
            return Map.of("nifi.flow.configuration.file", "./conf/flow.xml.gz",
                    "nifi.flow.configuration.json.file", "./conf/flow.json.gz");
        }

        @Override
        List<String> jvmArguments(final int managementPort) {
            return List.of();
        }
    },
    V2_3_0("2.3.0", 21, Integer.MAX_VALUE, false) {
        @Override
        Map<String, String> properties() {
            return Map.of("nifi.flow.configuration.file", "./conf/flow.json.gz");
        }

        @Override
        List<String> jvmArguments(final int managementPort) {
            return List.of("-Dorg.apache.nifi.management.server.address=" + Ports.HOST + ":" + managementPort);
        }
    };

    private final String text;
    private final int oldestJava;
    private final int newestJava;
    private final boolean putKudu;

    NifiVersion(final String text, final int oldestJava, final int newestJava, final boolean putKudu) {
        this.text = text;
        this.oldestJava = oldestJava;
        this.newestJava = newestJava;
        this.putKudu = putKudu;
    }

    /** Whether it has PutKudu; where it has none, flows end in UpsertKudu, which needs its own NAR. */
    public boolean hasPutKudu() {
        return putKudu;
    }

    abstract Map<String, String> properties();

    abstract List<String> jvmArguments(int managementPort);

    /** ROWHASH_JAVA17_HOME and ROWHASH_JAVA21_HOME name the Java explicitly. */
    Path java() {
        return JavaHome.javaBetween(oldestJava, newestJava, "ROWHASH_JAVA" + oldestJava + "_HOME");
    }

    Path home() {
        return Assembly.home("nifi-" + text);
    }

    @Override
    public String toString() {
        return text;
    }
}
