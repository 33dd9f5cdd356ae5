package dev.rowhash.nifi.jni;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * An operating system and processor as this project names them, for example {@code linux-x86_64},
 * and where its library lies on the class path: {@code native/linux-x86_64/librowhash.so}.
 */
final class Platform {

    /** The names that a NAR can hold a library for; only those that were built are in it. */
    static final List<String> KNOWN = Collections.unmodifiableList(Arrays.asList(
            "linux-x86_64", "linux-aarch64", "macos-x86_64", "macos-aarch64", "windows-x86_64", "windows-aarch64"));

    private final String osName;
    private final String osArch;

    private Platform(final String osName, final String osArch) {
        this.osName = osName;
        this.osArch = osArch;
    }

    static Platform current() {
        return of(System.getProperty("os.name", "unknown"), System.getProperty("os.arch", "unknown"));
    }

    static Platform of(final String osName, final String osArch) {
        return new Platform(osName, osArch);
    }

    String name() {
        return operatingSystem() + "-" + architecture();
    }

    String resource() {
        return resource(name());
    }

    static String resource(final String platform) {
        return "native/" + platform + "/" + library(platform);
    }

    /** The file name's ending, which some systems want on the copy too. */
    String suffix() {
        final String library = library(name());
        return library.substring(library.lastIndexOf('.'));
    }

    private static String library(final String platform) {
        if (platform.startsWith("windows-")) {
            return "rowhash.dll";
        }
        return platform.startsWith("macos-") ? "librowhash.dylib" : "librowhash.so";
    }

    private String operatingSystem() {
        // ROOT: a Turkish locale would make "windows" of "WINDOWS" with a dotless i.
        final String name = osName.toLowerCase(Locale.ROOT);
        if (name.startsWith("mac")) {
            return "macos";
        }
        return name.startsWith("windows") ? "windows" : name.replace(' ', '_');
    }

    private String architecture() {
        final String arch = osArch.toLowerCase(Locale.ROOT);
        switch (arch) {
            case "amd64":
            case "x86_64":
                return "x86_64";
            case "arm64":
            case "aarch64":
                return "aarch64";
            default:
                return arch;
        }
    }

    @Override
    public String toString() {
        return name() + " (os.name=" + osName + ", os.arch=" + osArch + ")";
    }
}
