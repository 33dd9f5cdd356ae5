package dev.rowhash.nifi.kudu.nar;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is in the NAR of the Kudu sink. */
class KuduNarTest {

    private static final int JAVA_8 = 52;
    private static final String BUNDLED = "META-INF/bundled-dependencies/";

    private JarFile nar;

    @BeforeEach
    void open() throws IOException {
        nar = new JarFile(System.getProperty("rowhash.kudu.nar"));
    }

    @AfterEach
    void close() throws IOException {
        nar.close();
    }

    @Test
    void namesEachJarOfOthersWithItsLicenceAndNoOther() throws IOException {
        final List<String> jars = jars().stream().map(name -> name.substring(BUNDLED.length()))
                .filter(name -> !name.startsWith("nifi-rowhash-kudu-processors-")).toList();
        final List<String> named = text("META-INF/THIRD-PARTY.txt").lines().filter(line -> line.matches("[^ ]+\\.jar: .+"))
                .toList();

        assertThat(named).extracting(line -> line.split(":")[0]).containsExactlyInAnyOrderElementsOf(jars);
        assertThat(named).extracting(line -> line.split("[:,] ")[1]).containsOnly("Apache-2.0", "BSD-3-Clause");
        assertThat(text("META-INF/THIRD-PARTY.txt")).contains("Redistributions in binary form", "Permission is hereby granted");
        assertThat(text("META-INF/NOTICE")).contains("Apache Kudu", "THIRD-PARTY.txt");
        assertThat(text("META-INF/LICENSE")).contains("Apache License");
    }

    @Test
    void leavesOutWhatEachNifiBringsItself() {
        assertThat(jars()).noneMatch(name -> name.matches(".*/(nifi-(api|record|utils|kerberos|record-serialization|security).*"
                + "|slf4j.*)-[0-9.]+\\.jar") && !name.contains("nifi-record-path"));
    }

    @Test
    void everyClassRunsOnJava8() throws IOException {
        int classes = 0;
        for (final String jar : jars()) {
            try (ZipInputStream in = new ZipInputStream(nar.getInputStream(nar.getEntry(jar)))) {
                for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                    // Java 9 and newer look into META-INF/versions, and for module-info; Java 8 does not.
                    if (entry.getName().endsWith(".class") && !entry.getName().startsWith("META-INF/versions/")
                            && !entry.getName().equals("module-info.class")) {
                        classes++;
                        assertThat((int) in.readNBytes(8)[7]).as(jar + " " + entry.getName()).isLessThanOrEqualTo(JAVA_8);
                    }
                }
            }
        }
        assertThat(classes).isGreaterThan(1000);
    }

    @Test
    void carriesThePageThatNifi2Shows() throws IOException {
        assertThat(nar.getEntry("META-INF/docs/additional-details/dev.rowhash.nifi.kudu.UpsertKudu/additionalDetails.md"))
                .isNotNull();
        assertThat(text("META-INF/docs/extension-manifest.xml")).contains("<name>dev.rowhash.nifi.kudu.UpsertKudu</name>",
                "<name>Max Bytes per Batch</name>", "<className>org.apache.nifi.serialization.RecordReaderFactory</className>");
    }

    @Test
    void hasTheParentThatEveryNifiHas() throws IOException {
        final Attributes manifest = nar.getManifest().getMainAttributes();
        assertThat(manifest.getValue("Nar-Id")).isEqualTo("nifi-rowhash-kudu-nar");
        assertThat(manifest.getValue("Nar-Group")).isEqualTo("dev.rowhash");
        assertThat(manifest.getValue("Nar-Dependency-Id")).isEqualTo("nifi-standard-services-api-nar");
    }

    private List<String> jars() {
        return nar.stream().map(ZipEntry::getName).filter(name -> name.endsWith(".jar")).toList();
    }

    private String text(final String name) throws IOException {
        return new String(nar.getInputStream(nar.getEntry(name)).readAllBytes(), StandardCharsets.UTF_8);
    }
}
