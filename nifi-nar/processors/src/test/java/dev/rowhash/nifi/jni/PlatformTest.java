package dev.rowhash.nifi.jni;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlatformTest {

    @ParameterizedTest
    @CsvSource({
            "Linux, amd64, native/linux-x86_64/librowhash.so, .so",
            "Linux, x86_64, native/linux-x86_64/librowhash.so, .so",
            "Linux, aarch64, native/linux-aarch64/librowhash.so, .so",
            "Linux, riscv64, native/linux-riscv64/librowhash.so, .so",
            "Mac OS X, aarch64, native/macos-aarch64/librowhash.dylib, .dylib",
            "Mac OS X, x86_64, native/macos-x86_64/librowhash.dylib, .dylib",
            "Windows Server 2022, amd64, native/windows-x86_64/rowhash.dll, .dll",
            "WINDOWS, AMD64, native/windows-x86_64/rowhash.dll, .dll"})
    void findsTheLibrary(final String osName, final String osArch, final String resource, final String suffix) {
        assertThat(Platform.of(osName, osArch).resource()).isEqualTo(resource);
        assertThat(Platform.of(osName, osArch).suffix()).isEqualTo(suffix);
    }

    @Test
    void doesNotDependOnTheLocale() {
        final Locale before = Locale.getDefault();
        try {
            Locale.setDefault(new Locale("tr", "TR"));
            assertThat(Platform.of("WINDOWS", "AMD64").name()).isEqualTo("windows-x86_64");
        } finally {
            Locale.setDefault(before);
        }
    }
}
