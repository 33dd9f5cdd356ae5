package dev.rowhash.nifi.jni;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.Properties;
import java.util.stream.Collectors;

/**
 * The native library, loaded once for each class loader.
 *
 * <p>A library file can belong to one class loader only, and NiFi gives each version of a NAR a
 * loader of its own. So each loads a temporary copy of its own, which is deleted as soon as it is
 * loaded.
 */
public final class NativeLibrary {

    /** A library file to load instead of the one in the NAR. */
    public static final String PATH_PROPERTY = "dev.rowhash.library.path";

    /** Where the temporary copy goes; java.io.tmpdir when not set. */
    public static final String DIRECTORY_PROPERTY = "dev.rowhash.library.tmpdir";

    private static final NativeLibrary LOADED;
    private static final RowHashException FAILURE;

    // The JVM runs this once, while other threads wait for it.
    static {
        NativeLibrary loaded = null;
        RowHashException failure = null;
        try {
            loaded = loadOnce();
        } catch (final RowHashException e) {
            failure = e;
        } catch (final RuntimeException | LinkageError e) {
            // Thrown from here, the JVM would show it once and then only that this class is missing.
            failure = failure(Platform.current(), "what -D" + PATH_PROPERTY + " names, else the file in the NAR",
                    e.toString(), "install the NAR again, and correct or remove -D" + PATH_PROPERTY + " and -D"
                            + DIRECTORY_PROPERTY, e);
        }
        LOADED = loaded;
        FAILURE = failure;
    }

    private final Platform platform;
    private final String source;
    private final String version;

    private NativeLibrary(final Platform platform, final String source, final String version) {
        this.platform = platform;
        this.source = source;
        this.version = version;
    }

    /**
     * The loaded library.
     *
     * @throws RowHashException if it could not be loaded: always with the message of the first try
     */
    public static NativeLibrary get() {
        if (FAILURE != null) {
            throw new RowHashException(FAILURE.getMessage(), FAILURE);
        }
        return LOADED;
    }

    /** For example {@code linux-x86_64 (os.name=Linux, os.arch=amd64)}. */
    public String platform() {
        return platform.toString();
    }

    /** The file or the resource that the library was copied from. */
    public String source() {
        return source;
    }

    public String version() {
        return version;
    }

    private static NativeLibrary loadOnce() {
        final Platform platform = Platform.current();
        final String override = System.getProperty(PATH_PROPERTY);
        final URL resource = loader().getResource(platform.resource());
        if (override == null && resource == null) {
            throw failure(platform, platform.resource(), "this NAR holds no such file",
                    "use a NAR that was built for this platform, or build the library on this machine and name the"
                            + " file with the JVM property -D" + PATH_PROPERTY, null);
        }

        final String source = override == null ? resource.toString() : override;
        final String version = loadCopy(platform, source, override == null ? resource : null);
        final String expected = expectedVersion();
        if (!expected.equals(version)) {
            throw failure(platform, source, "it is version " + version + ", this NAR needs " + expected,
                    "use the library of the same build as the NAR; remove -D" + PATH_PROPERTY + " if it is set", null);
        }
        return new NativeLibrary(platform, source, version);
    }

    /** Loads a copy and returns the version it reports. */
    private static String loadCopy(final Platform platform, final String source, final URL resource) {
        final String directory = System.getProperty(DIRECTORY_PROPERTY, System.getProperty("java.io.tmpdir"));
        final Path copy;
        try {
            copy = Files.createTempFile(Paths.get(directory), "rowhash-", platform.suffix());
        } catch (final IOException | SecurityException | InvalidPathException e) {
            throw failure(platform, source, "no temporary copy can be written to " + directory + ": " + describe(e),
                    directoryCure(), e);
        }

        try {
            copyTo(copy, source, resource);
            System.load(copy.toAbsolutePath().toString());
            return Bindings.version();
        } catch (final IOException | InvalidPathException e) {
            throw failure(platform, source, "it cannot be copied to " + copy + ": " + describe(e),
                    resource == null ? "correct the file name in -D" + PATH_PROPERTY + ", or remove that property"
                            : directoryCure(), e);
        } catch (final LinkageError | RuntimeException e) {
            throw failure(platform, source + ", copied to " + copy, describe(e), linkCure(e.toString()), e);
        } finally {
            delete(copy);
        }
    }

    private static void copyTo(final Path copy, final String source, final URL resource) throws IOException {
        if (resource == null) {
            Files.copy(Paths.get(source), copy, StandardCopyOption.REPLACE_EXISTING);
            return;
        }
        final URLConnection connection = resource.openConnection();
        // A cached jar would stay open after its NAR is removed.
        connection.setUseCaches(false);
        try (InputStream in = connection.getInputStream()) {
            Files.copy(in, copy, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static void delete(final Path copy) {
        try {
            Files.deleteIfExists(copy);
        } catch (final IOException | SecurityException e) {
            // Windows keeps a loaded file locked.
            copy.toFile().deleteOnExit();
        }
    }

    private static String expectedVersion() {
        final Properties properties = new Properties();
        try (InputStream in = NativeLibrary.class.getResourceAsStream("version.properties")) {
            if (in == null) {
                throw new RowHashException("version.properties is missing beside " + NativeLibrary.class.getName()
                        + ": the jar of the processors is damaged; install the NAR again");
            }
            properties.load(in);
        } catch (final IOException e) {
            throw new RowHashException("version.properties beside " + NativeLibrary.class.getName()
                    + " cannot be read: install the NAR again", e);
        }
        return properties.getProperty("version");
    }

    private static RowHashException failure(final Platform platform, final String tried, final String reason,
                                            final String cure, final Throwable cause) {
        return new RowHashException("The native library rowhash cannot be loaded. Platform: " + platform
                + ". Tried: " + tried + ". Reason: " + reason + ". Platforms in this NAR: " + available()
                + ". Cure: " + cure + "; then restart NiFi.", cause);
    }

    private static String available() {
        final String platforms = Platform.KNOWN.stream()
                .filter(name -> loader().getResource(Platform.resource(name)) != null)
                .collect(Collectors.joining(", "));
        return platforms.isEmpty() ? "none" : platforms;
    }

    static String linkCure(final String reason) {
        // Of Java 9, so known here by its name alone.
        if (reason.contains("IllegalCallerException")) {
            return "this JVM forbids native code: allow it with the JVM argument --enable-native-access=ALL-UNNAMED, in a"
                    + " java.arg line of conf/bootstrap.conf";
        }
        if (reason.contains("failed to map segment") || reason.contains("Operation not permitted")
                || reason.contains("Permission denied")) {
            return "the directory of the copy is probably mounted noexec: " + directoryCure();
        }
        if (reason.contains("GLIBC_")) {
            return "this system's C library is older than the NAR's library needs (a release needs glibc 2.17): use a"
                    + " release NAR, or build the library on this machine and name it with -D" + PATH_PROPERTY;
        }
        if (reason.contains("Error loading shared library") || reason.contains("Error relocating")) {
            return "this JVM uses musl (Alpine), the NAR's library is for glibc: run NiFi on a glibc system, as its"
                    + " official image does, or build the library for musl and name it with -D" + PATH_PROPERTY;
        }
        if (reason.contains("ELF") || reason.contains("file too short") || reason.contains("can't load")) {
            return "the file is damaged or for another processor: install the NAR again, or name a library for this"
                    + " platform with -D" + PATH_PROPERTY;
        }
        return "if the temporary directory is mounted noexec, " + directoryCure() + "; else build the library on this"
                + " machine and name it with -D" + PATH_PROPERTY;
    }

    private static String directoryCure() {
        return "name a directory that NiFi may write to and execute from with the JVM property -D" + DIRECTORY_PROPERTY;
    }

    private static String describe(final Throwable e) {
        if (e instanceof NoSuchFileException) {
            return "no such file or directory: " + e.getMessage();
        }
        if (e instanceof AccessDeniedException) {
            return "access denied: " + e.getMessage();
        }
        return String.valueOf(e.getMessage());
    }

    private static ClassLoader loader() {
        return NativeLibrary.class.getClassLoader();
    }
}
