package dev.rowhash.nifi.jni;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The JOB_KEY by which Spring Batch finds the instance of a job; its text differs between major versions. */
public final class SpringBatchKeys {

    private SpringBatchKeys() {
    }

    /**
     * The key of a job's identifying parameters, all of them texts.
     *
     * @param version Spring Batch's major version, such as 5
     * @throws IllegalArgumentException if the version's key is not known
     */
    public static String jobKey(final String version, final Map<String, String> parameters) {
        NativeLibrary.get();
        final List<String> texts = new ArrayList<>();
        parameters.forEach((name, value) -> {
            texts.add(name);
            texts.add(value);
        });
        return Bindings.jobKey(version, texts.toArray(new String[0]));
    }
}
