package dev.rowhash.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

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
        return nar("rowhash.nar", "nifi-nar/nar/target");
    }

    /** The NAR of the Kudu sink: the property {@code rowhash.kudu.nar}, or where Maven packs it. */
    public static Path kuduNar() {
        return nar("rowhash.kudu.nar", "nifi-nar/kudu-nar/target");
    }

    private static Path nar(final String property, final String target) {
        final String named = System.getProperty(property);
        if (named != null) {
            final Path nar = root().resolve(named);
            if (!Files.isRegularFile(nar)) {
                throw new RuntimeFailure("There is no NAR at " + nar + ": correct -D" + property);
            }
            return nar;
        }
        final Path folder = root().resolve(target);
        final List<Path> nars = nars(folder);
        if (nars.size() != 1) {
            throw new RuntimeFailure("In " + folder + " there must be one NAR, not " + nars + ": build it with"
                    + " ./build.sh nar, or name one with -D" + property + "=FILE");
        }
        return nars.get(0);
    }

    private static List<Path> nars(final Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().endsWith(".nar")).sorted().toList();
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot read " + folder, e);
        }
    }
}
