package dev.rowhash.nifi.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(300)
class NativeLibraryTest {

    private static final long DEADLINE_SECONDS = 120;

    private static final String HASH_OF_X = "9dd4e461268c8034f5c8564e155c67a6";

    private final Map<String, String> replaced = new HashMap<>();

    @TempDir
    private Path copies;

    @TempDir
    private Path files;

    @BeforeEach
    void copyIntoAFolderThatTheTestCanWatch() {
        set(NativeLibrary.DIRECTORY_PROPERTY, copies.toString());
    }

    @AfterEach
    void restoreProperties() {
        replaced.forEach((name, value) -> {
            if (value == null) {
                System.clearProperty(name);
            } else {
                System.setProperty(name, value);
            }
        });
    }

    @Test
    void eachClassLoaderLoadsACopyOfItsOwn() throws Exception {
        try (SeparateLoader one = SeparateLoader.open(); SeparateLoader other = SeparateLoader.open()) {
            assertThat(one.hash()).isEqualTo(HASH_OF_X);
            assertThat(other.hash()).isEqualTo(HASH_OF_X);
            assertThat(one.hash()).isEqualTo(HASH_OF_X);
        }
        assertThat(copies).isEmptyDirectory();
    }

    @Test
    void manyLoadersOneAfterTheOtherLeaveNoCopyBehind() throws Exception {
        for (int i = 0; i < 30; i++) {
            try (SeparateLoader loader = SeparateLoader.open()) {
                assertThat(loader.hash()).isEqualTo(HASH_OF_X);
            }
        }
        assertThat(copies).isEmptyDirectory();
    }

    @Test
    void sixteenThreadsCanBeTheFirstToUseIt() throws Exception {
        final int threads = 16;
        final ExecutorService executor = Executors.newFixedThreadPool(threads);
        try (SeparateLoader loader = SeparateLoader.open()) {
            final Callable<String> probe = loader.probe();
            final CyclicBarrier start = new CyclicBarrier(threads);
            final List<Future<String>> hashes = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                hashes.add(executor.submit(() -> {
                    start.await(DEADLINE_SECONDS, TimeUnit.SECONDS);
                    return probe.call();
                }));
            }
            for (final Future<String> hash : hashes) {
                assertThat(hash.get(DEADLINE_SECONDS, TimeUnit.SECONDS)).isEqualTo(HASH_OF_X);
            }
        } finally {
            executor.shutdownNow();
        }
        assertThat(copies).isEmptyDirectory();
    }

    @Test
    void twoLoadersCanUseTheSameFile() throws Exception {
        set(NativeLibrary.PATH_PROPERTY, library().toString());
        try (SeparateLoader one = SeparateLoader.withoutLibraries(); SeparateLoader other = SeparateLoader.withoutLibraries()) {
            assertThat(one.hash()).isEqualTo(HASH_OF_X);
            assertThat(other.hash()).isEqualTo(HASH_OF_X);
        }
    }

    @Test
    void namesAFileThatIsMissing() {
        set(NativeLibrary.PATH_PROPERTY, files.resolve("nowhere.so").toString());

        assertThatLoading(SeparateLoader.open())
                .contains("Platform: " + Platform.current().name(), "os.name=", "os.arch=")
                .contains("Tried: " + files.resolve("nowhere.so"))
                .contains("no such file")
                .contains("Cure: correct the file name in -Ddev.rowhash.library.path");
    }

    @Test
    void keepsTheFirstFailureAndShowsItAgain() throws Exception {
        set(NativeLibrary.PATH_PROPERTY, files.resolve("nowhere.so").toString());
        try (SeparateLoader loader = SeparateLoader.open()) {
            final Throwable first = catchThrowable(loader::hash);
            System.clearProperty(NativeLibrary.PATH_PROPERTY);
            final Throwable second = catchThrowable(loader::hash);

            assertThat(first).hasMessageContaining("nowhere.so");
            assertThat(second).isNotSameAs(first).hasMessage(first.getMessage());
        }
    }

    @Test
    void saysThatAFileIsNoLibrary() throws IOException {
        set(NativeLibrary.PATH_PROPERTY, Files.writeString(files.resolve("text.so"), "no library".repeat(100)).toString());

        assertThatLoading(SeparateLoader.open())
                .contains("Tried: " + files.resolve("text.so") + ", copied to " + copies)
                .contains("Cure: the file is damaged or for another processor");
    }

    @Test
    void saysThatALibraryIsForAnotherProcessor() throws IOException {
        final byte[] bytes = Files.readAllBytes(library());
        final int machine = 18; // e_machine of the ELF header
        bytes[machine] = (byte) (bytes[machine] == 62 ? 183 : 62); // x86_64 or aarch64
        set(NativeLibrary.PATH_PROPERTY, Files.write(files.resolve("other.so"), bytes).toString());

        assertThatLoading(SeparateLoader.open()).contains("Cure: the file is damaged or for another processor");
    }

    @Test
    void namesThePlatformThatIsMissingAndThoseThatAreThere() {
        final String present = Platform.current().name();
        set("os.arch", "riscv64");

        assertThatLoading(SeparateLoader.open())
                .contains("Tried: native/linux-riscv64/librowhash.so")
                .containsPattern("Platforms in this NAR: [a-z0-9_, -]*" + present)
                .contains("Cure: use a NAR that was built for this platform")
                .contains("-Ddev.rowhash.library.path");
    }

    @Test
    void saysThatTheNarHoldsNoLibraryAtAll() {
        assertThatLoading(SeparateLoader.withoutLibraries()).contains("Platforms in this NAR: none");
    }

    @Test
    void namesATemporaryDirectoryThatIsMissing() {
        set(NativeLibrary.DIRECTORY_PROPERTY, files.resolve("no-folder").toString());

        assertThatLoading(SeparateLoader.open())
                .contains("no temporary copy can be written to " + files.resolve("no-folder"))
                .contains("-Ddev.rowhash.library.tmpdir");
    }

    @Test
    void keepsAFailureThatNothingForesees() throws Exception {
        final Path folder = Files.createDirectories(files.resolve("dev/rowhash/nifi/jni"));
        Files.writeString(folder.resolve("version.properties"), "version=\\u12\n");

        try (SeparateLoader loader = SeparateLoader.open(files.toUri().toURL())) {
            for (int i = 0; i < 2; i++) {
                assertThat(catchThrowable(loader::hash).toString())
                        .startsWith(RowHashException.class.getName())
                        .contains("Platform: " + Platform.current().name(), "Tried: ", "IllegalArgumentException",
                                "Cure: install the NAR again");
            }
        }
    }

    @Test
    void refusesALibraryOfAnotherVersion() throws IOException {
        final Path folder = Files.createDirectories(files.resolve("dev/rowhash/nifi/jni"));
        Files.writeString(folder.resolve("version.properties"), "version=9.9.9\n");

        assertThatLoading(SeparateLoader.open(files.toUri().toURL()))
                .contains("it is version " + NativeLibrary.get().version() + ", this NAR needs 9.9.9");
    }

    /** Java 24 and newer can be told to forbid native code; what is asserted goes by the Java that runs the test. */
    @Test
    void saysHowToAllowNativeAccessWhereTheJvmForbidsIt() throws Exception {
        final ForkedJvm.Result denied = ForkedJvm.run(List.of("--illegal-native-access=deny"), TwoUses.class);
        if (Runtime.version().feature() >= 24) {
            assertThat(denied.exitCode()).as(denied.output()).isZero();
            assertThat(denied.output().lines().filter(line -> line.startsWith(RowHashException.class.getName()))).hasSize(2)
                    .allSatisfy(line -> assertThat(line).contains("Platform: " + Platform.current().name(),
                            "Tried: ", Platform.current().resource(), "Cure: ", "--enable-native-access=ALL-UNNAMED"));
        } else {
            assertThat(denied.output()).contains("Unrecognized option: --illegal-native-access=deny");
        }

        final List<String> cured = Runtime.version().feature() >= 24
                ? List.of("--illegal-native-access=deny", "--enable-native-access=ALL-UNNAMED")
                : List.of("--enable-native-access=ALL-UNNAMED");
        assertThat(ForkedJvm.run(cured, TwoUses.class).output()).containsSubsequence(HASH_OF_X, HASH_OF_X);
    }

    /** Runs in a JVM of its own and shows each time what comes out. */
    static final class TwoUses {
        public static void main(final String[] arguments) {
            for (int i = 0; i < 2; i++) {
                final List<String> hash = new ArrayList<>();
                final Throwable thrown = catchThrowable(() -> hash.add(new SeparateLoader.Probe().call()));
                System.out.println(thrown == null ? hash.get(0) : thrown.toString());
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
            "/tmp/a.so: failed to map segment from shared object: Operation not permitted; mounted noexec",
            "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.33' not found (required by /tmp/a.so); glibc 2.17",
            "Error loading shared library ld-linux-x86-64.so.2: No such file or directory (needed by /tmp/a.so); Alpine",
            "Error relocating /tmp/a.so: __res_init: symbol not found; Alpine",
            "/tmp/a.so: file too short; damaged",
            "/tmp/a.so: undefined symbol: other; build the library on this machine"})
    void everyMessageOfADynamicLinkerHasACure(final String message, final String cure) {
        assertThat(NativeLibrary.linkCure(message)).contains(cure);
    }

    /** Asserts on the message, and that no copy is left. */
    private AbstractStringAssert<?> assertThatLoading(final SeparateLoader loader) {
        try (loader) {
            final Throwable thrown = catchThrowable(loader::hash);
            assertThat(thrown).as("loading must fail").isNotNull();
            assertThat(thrown.getClass().getName()).isEqualTo(RowHashException.class.getName());
            assertThat(copies).isEmptyDirectory();
            return assertThat(thrown.getMessage());
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    private Path library() throws IOException {
        final Path library = files.resolve("copy.so");
        try (InputStream in = NativeLibraryTest.class.getClassLoader().getResourceAsStream(Platform.current().resource())) {
            assertThat(in).as("the native library of this platform: ./build.sh native").isNotNull();
            Files.copy(in, library);
        }
        return library;
    }

    private void set(final String property, final String value) {
        final String before = System.setProperty(property, value);
        if (!replaced.containsKey(property)) {
            replaced.put(property, before);
        }
    }
}
