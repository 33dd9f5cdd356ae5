package dev.rowhash.runtime;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;

/** Work folders of servers, under the project's target/runtime. */
final class Folders {
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-");

    private Folders() {
    }

    /** A new, empty folder whose name starts with the time, so that the newest logs are the last ones. */
    static Path create(final String name) {
        try {
            final Path parent = Files.createDirectories(Project.root().resolve("target/runtime"));
            return Files.createTempDirectory(parent, STAMP.format(LocalDateTime.now()) + name + "-");
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot create a work folder for " + name, e);
        }
    }

    /** Deletes everything in the folder but the one named; links are not followed. */
    static void deleteAllBut(final Path folder, final String kept) throws IOException {
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(final Path directory, final BasicFileAttributes attributes) {
                return directory.equals(folder.resolve(kept)) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(final Path file, final BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(final Path directory, final IOException e) throws IOException {
                if (e != null) {
                    throw e;
                }
                if (!directory.equals(folder)) {
                    Files.delete(directory);
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
