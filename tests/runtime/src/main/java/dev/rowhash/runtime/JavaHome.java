package dev.rowhash.runtime;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds a Java of the versions that a server runs on. */
final class JavaHome {
    private static final Path INSTALLED = Path.of("/usr/lib/jvm");
    private static final Pattern VERSION = Pattern.compile("version \"(?:1\\.)?(\\d+)");

    private JavaHome() {
    }

    /**
     * The {@code java} of the first home whose major version lies in the range: the one that {@code variable} names
     * (a system property or else an environment variable; a home or a java binary), the running one, JAVA_HOME,
     * those under /usr/lib/jvm.
     */
    static Path javaBetween(final int oldest, final int newest, final String variable) {
        final String named = System.getProperty(variable, System.getenv(variable));
        if (named != null && !named.isBlank()) {
            final Path java = binary(Path.of(named));
            final int version = majorVersion(java);
            if (version < oldest || version > newest) {
                throw new RuntimeFailure(variable + " names " + java + ", which is "
                        + (version == 0 ? "not a Java that runs" : "Java " + version) + "; needed: "
                        + range(oldest, newest));
            }
            return java;
        }
        for (final Path home : homes()) {
            final int version = majorVersion(binary(home));
            if (version >= oldest && version <= newest) {
                return binary(home);
            }
        }
        throw new RuntimeFailure("No " + range(oldest, newest) + " found among the running Java, JAVA_HOME and "
                + INSTALLED + ": install one, or set " + variable + " to its home folder");
    }

    private static String range(final int oldest, final int newest) {
        return newest == Integer.MAX_VALUE ? "Java " + oldest + " or newer"
                : oldest == newest ? "Java " + oldest : "Java " + oldest + " to " + newest;
    }

    private static List<Path> homes() {
        final List<Path> homes = new ArrayList<>();
        homes.add(Path.of(System.getProperty("java.home")));
        final String javaHome = System.getenv("JAVA_HOME");
        if (javaHome != null && !javaHome.isBlank()) {
            homes.add(Path.of(javaHome));
        }
        if (Files.isDirectory(INSTALLED)) {
            try (Stream<Path> installed = Files.list(INSTALLED)) {
                installed.sorted().forEach(homes::add);
            } catch (final IOException e) {
                throw new RuntimeFailure("Cannot read " + INSTALLED, e);
            }
        }
        return homes;
    }

    private static Path binary(final Path homeOrBinary) {
        return Files.isDirectory(homeOrBinary) ? homeOrBinary.resolve("bin/java") : homeOrBinary;
    }

    /** 0 for what is no Java: asking the binary itself needs no knowledge of how its home is laid out. */
    private static int majorVersion(final Path java) {
        if (!Files.isExecutable(java)) {
            return 0;
        }
        try {
            final Process process = new ProcessBuilder(java.toString(), "-version").redirectErrorStream(true).start();
            final String output;
            try (InputStream stdout = process.getInputStream()) {
                output = new String(stdout.readAllBytes(), StandardCharsets.UTF_8);
            }
            final Matcher matcher = VERSION.matcher(output);
            return matcher.find() ? Integer.parseInt(matcher.group(1)) : 0;
        } catch (final IOException e) {
            return 0;
        }
    }
}
