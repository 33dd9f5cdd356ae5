package dev.rowhash.nifi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BytecodeTest {

    private static final int JAVA_8 = 52;

    @Test
    void everyClassThatShipsRunsOnJava8() throws Exception {
        final Path origin = Path.of(ComputeRowHash.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (Files.isDirectory(origin)) {
            assertJava8(origin);
        } else {
            try (FileSystem jar = FileSystems.newFileSystem(origin)) {
                assertJava8(jar.getPath("/"));
            }
        }
    }

    private static void assertJava8(final Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            final List<Path> classes = files.filter(file -> file.toString().endsWith(".class")).toList();
            assertThat(classes).hasSizeGreaterThan(5).allSatisfy(file -> assertThat(version(file)).isEqualTo(JAVA_8));
        }
    }

    private static int version(final Path file) throws IOException {
        try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
            assertThat(in.readInt()).isEqualTo(0xCAFEBABE);
            in.readUnsignedShort();
            return in.readUnsignedShort();
        }
    }
}
