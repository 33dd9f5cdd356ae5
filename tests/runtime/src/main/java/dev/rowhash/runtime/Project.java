package dev.rowhash.runtime;

import java.nio.file.Files;
import java.nio.file.Path;

/** Finds the project's folder, so that the demo and the tests may be started from anywhere in it. */
public final class Project {
    private static final String PROPERTY = "rowhash.project.directory";

    private Project() {
    }

    /** The folder of the root pom.xml. */
    public static Path root() {
        final Path start = Path.of(System.getProperty(PROPERTY, "")).toAbsolutePath().normalize();
        for (Path folder = start; folder != null; folder = folder.getParent()) {
            if (Files.isRegularFile(folder.resolve("tests/runtime/assemble.sh"))) {
                return folder;
            }
        }
        throw new RuntimeFailure("The project's folder is neither " + start + " nor above it: start from inside"
                + " the project or set -D" + PROPERTY);
    }

    /** The NAR under test: the property {@code rowhash.nar}, or where Maven packs it. */
    public static Path nar() {
        final String given = System.getProperty("rowhash.nar", "nifi-nar/nar/target/nifi-rowhash-nar-0.1.0.nar");
        final Path nar = root().resolve(given);
        if (!Files.isRegularFile(nar)) {
            throw new RuntimeFailure("There is no NAR at " + nar + ": build it with ./build.sh nar, or name"
                    + " another one with -Drowhash.nar=PATH");
        }
        return nar;
    }
}
