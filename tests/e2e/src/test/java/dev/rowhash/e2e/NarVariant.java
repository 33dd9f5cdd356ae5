package dev.rowhash.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.function.Predicate;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** The NAR's version, and copies of it under another one, as a later release would be. */
final class NarVariant {
    private static final Attributes.Name VERSION = new Attributes.Name("Nar-Version");

    private NarVariant() {
    }

    static String version(final Path nar) throws IOException {
        try (JarFile file = new JarFile(nar.toFile())) {
            return file.getManifest().getMainAttributes().getValue(VERSION);
        }
    }

    static Path withVersion(final Path nar, final String version, final Path folder) throws IOException {
        return copy(nar, version, folder, entry -> true);
    }

    /** As if it had been built for other platforms only. */
    static Path withoutLibraries(final Path nar, final String version, final Path folder) throws IOException {
        return copy(nar, version, folder, entry -> !entry.contains("librowhash"));
    }

    private static Path copy(final Path nar, final String version, final Path folder, final Predicate<String> kept)
            throws IOException {
        final Path copy = folder.resolve("nifi-rowhash-nar-" + version + ".nar");
        try (JarFile original = new JarFile(nar.toFile())) {
            final Manifest manifest = new Manifest(original.getManifest());
            manifest.getMainAttributes().put(VERSION, version);
            // In the original's order: NiFi unpacks a file only after the entry of its folder.
            try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(copy))) {
                for (final JarEntry entry : Collections.list(original.entries())) {
                    if (kept.test(entry.getName())) {
                        jar.putNextEntry(new JarEntry(entry.getName()));
                        if (entry.getName().equals(JarFile.MANIFEST_NAME)) {
                            manifest.write(jar);
                        } else {
                            original.getInputStream(entry).transferTo(jar);
                        }
                        jar.closeEntry();
                    }
                }
            }
        }
        return copy;
    }
}
