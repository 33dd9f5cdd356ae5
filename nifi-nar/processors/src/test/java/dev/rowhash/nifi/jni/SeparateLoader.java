package dev.rowhash.nifi.jni;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** A class loader with its own copy of this package, as NiFi gives one to each NAR. */
public final class SeparateLoader extends URLClassLoader {

    private final boolean librariesHidden;

    private SeparateLoader(final boolean librariesHidden, final URL... first) {
        super(Stream.concat(Stream.of(first), Stream.of(origin(RowHasher.class), origin(Probe.class))).toArray(URL[]::new),
                ClassLoader.getPlatformClassLoader());
        this.librariesHidden = librariesHidden;
    }

    /** The resources under {@code first} come before those of the class path. */
    static SeparateLoader open(final URL... first) {
        return new SeparateLoader(false, first);
    }

    static SeparateLoader withoutLibraries() {
        return new SeparateLoader(true);
    }

    private static URL origin(final Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    // getResource and getResourceAsStream come here.
    @Override
    public URL findResource(final String name) {
        return librariesHidden && name.startsWith("native/") ? null : super.findResource(name);
    }

    /** Hashes the row a=x with the classes of this loader. */
    String hash() throws Exception {
        return probe().call();
    }

    @SuppressWarnings("unchecked") // The class is this loader's Probe.
    Callable<String> probe() throws ReflectiveOperationException {
        return (Callable<String>) loadClass(Probe.class.getName()).getConstructor().newInstance();
    }

    /** Runs inside the loader; only classes of the JDK can pass between the loaders. */
    public static final class Probe implements Callable<String> {

        @Override
        public String call() {
            try (RowHasher hasher = RowHasher.open("a", "row_hash", "Compatible")) {
                final RowBatch batch = hasher.batch();
                batch.add(column -> "x");
                return batch.hash().get(0).hash();
            }
        }
    }
}
