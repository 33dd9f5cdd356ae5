package dev.rowhash.nifi.nar;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is in the NAR that an operator gets. */
class NarTest {

    private JarFile nar;

    @BeforeEach
    void open() throws IOException {
        nar = new JarFile(System.getProperty("rowhash.nar"));
    }

    @AfterEach
    void close() throws IOException {
        nar.close();
    }

    @Test
    void holdsALibraryForEachPlatformThatWasBuilt() {
        final List<String> libraries = names().stream().filter(name -> name.matches("native/.*/.*rowhash\\.(so|dylib|dll)")).toList();

        assertThat(libraries).as("run ./build.sh native first").isNotEmpty().doesNotHaveDuplicates();
        assertThat(libraries).allSatisfy(name -> assertThat(name).matches(
                "native/(linux-(x86_64|aarch64)/librowhash\\.so|macos-(x86_64|aarch64)/librowhash\\.dylib"
                        + "|windows-(x86_64|aarch64)/rowhash\\.dll)"));
    }

    @Test
    void eachLibraryIsForThePlatformItsFolderNames() throws IOException {
        for (final String name : names()) {
            if (name.matches("native/linux-.*\\.so")) {
                final byte[] header = nar.getInputStream(nar.getEntry(name)).readNBytes(20);
                assertThat(new String(header, 1, 3, StandardCharsets.US_ASCII)).as(name).isEqualTo("ELF");
                final int machine = Byte.toUnsignedInt(header[18]);
                assertThat(machine).as(name).isEqualTo(name.contains("aarch64") ? 183 : 62);
            }
        }
    }

    @Test
    void bundlesOurJarAndNothingElse() {
        assertThat(names()).filteredOn(name -> name.endsWith(".jar")).hasSize(1).first().asString()
                .matches("META-INF/bundled-dependencies/nifi-rowhash-processors-[0-9.]+\\.jar");
    }

    @Test
    void everyClassRunsOnJava8() throws IOException {
        int classes = 0;
        for (final String name : names()) {
            if (!name.endsWith(".jar")) {
                continue;
            }
            try (ZipInputStream jar = new ZipInputStream(nar.getInputStream(nar.getEntry(name)))) {
                for (ZipEntry entry = jar.getNextEntry(); entry != null; entry = jar.getNextEntry()) {
                    if (entry.getName().endsWith(".class")) {
                        classes++;
                        assertThat(jar.readNBytes(8)[7]).as(entry.getName()).isEqualTo((byte) 52);
                    }
                }
            }
        }
        assertThat(classes).isGreaterThan(5);
    }

    @Test
    void carriesLicenseAndNotice() {
        assertThat(names()).contains("META-INF/LICENSE", "META-INF/NOTICE");
    }

    @Test
    void namesTheCratesOfTheLibraryWithTheirLicences() throws IOException {
        assertThat(names()).contains("META-INF/THIRD-PARTY.txt");
        final String notice = text("META-INF/THIRD-PARTY.txt");

        final List<String> crates = notice.lines().filter(line -> line.matches("[A-Za-z0-9_-]+ [0-9][^ ]*: .+ -> .+"))
                .toList();
        assertThat(crates).extracting(line -> line.split(" ")[0])
                .contains("jni", "roaring", "thiserror", "serde_json").doesNotContain("rowhash-core");
        // One that offers the MIT License alone must come with its text.
        assertThat(crates).filteredOn(line -> line.endsWith("-> MIT")).isNotEmpty().allSatisfy(line ->
                assertThat(notice).containsPattern("\nMIT License of .*" + Pattern.quote(line.split(":")[0])));
        assertThat(notice).contains("Permission is hereby granted, free of charge", "Rust's standard library");
        assertThat(text("META-INF/NOTICE")).contains("THIRD-PARTY.txt");
        assertThat(text("META-INF/LICENSE")).contains("Apache License");
    }

    @Test
    void carriesThePagesThatNiFi2Shows() throws IOException {
        for (final String processor : List.of("ComputeRowHash", "EmitLoadLog", "ReplayLoadLog")) {
            assertThat(names()).contains("META-INF/docs/additional-details/dev.rowhash.nifi." + processor
                    + "/additionalDetails.md");
        }
        final String manifest = text("META-INF/docs/extension-manifest.xml");
        assertThat(manifest).contains("<name>dev.rowhash.nifi.ComputeRowHash</name>", "<name>Rows Without Values</name>",
                "<name>dev.rowhash.nifi.EmitLoadLog</name>", "<name>Closed Batch Retention</name>",
                "<name>dev.rowhash.nifi.ReplayLoadLog</name>", "<name>Maximum Retries</name>",
                "<className>org.apache.nifi.serialization.RecordReaderFactory</className>");
    }

    @Test
    void hasTheParentThatEveryNiFiHas() throws IOException {
        final Attributes manifest = nar.getManifest().getMainAttributes();
        assertThat(manifest.getValue("Nar-Id")).isEqualTo("nifi-rowhash-nar");
        assertThat(manifest.getValue("Nar-Group")).isEqualTo("dev.rowhash");
        assertThat(manifest.getValue("Nar-Dependency-Id")).isEqualTo("nifi-standard-services-api-nar");
    }

    private String text(final String name) throws IOException {
        return new String(nar.getInputStream(nar.getEntry(name)).readAllBytes(), StandardCharsets.UTF_8);
    }

    private List<String> names() {
        return nar.stream().map(ZipEntry::getName).toList();
    }
}
