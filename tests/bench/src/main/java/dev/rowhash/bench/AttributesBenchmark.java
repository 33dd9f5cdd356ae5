package dev.rowhash.bench;

import dev.rowhash.nifi.jni.HashedRow;
import dev.rowhash.nifi.jni.RowBatch;
import dev.rowhash.nifi.jni.RowHasher;
import groovy.lang.Closure;
import groovy.lang.GroovyShell;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** Rows that come as Java strings, as FlowFile attributes do: one native call, compiled Java, the Groovy script. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@State(Scope.Thread)
@Fork(1)
@Warmup(iterations = 20, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 150, time = 20, timeUnit = TimeUnit.MILLISECONDS)
public class AttributesBenchmark {
    /** The system property that names row_hash.groovy. */
    static final String SCRIPT = "rowhash.groovy.script";

    private static final String BEGIN = "// ---- The canonical row";
    private static final String END = "// ---- End of the canonical row";

    @Param({"1", "64"})
    private int rows;

    @Param({"ascii", "korean"})
    private String alphabet;

    @Param({"180", "750", "3900"})
    private int bytes;

    private List<Map<String, String>> values;
    private CompiledJava java;
    private RowHasher hasher;
    private Closure<?> script;

    @Setup
    public void prepare() throws IOException {
        values = Rows.of(rows, alphabet, bytes);
        java = new CompiledJava(Rows.COLUMNS);
        hasher = RowHasher.open(String.join(",", Rows.COLUMNS), "row_hash", "Compatible");
        script = script();
        for (final Map<String, String> row : values) {
            final String expected = java.hash(row::get);
            final RowBatch batch = hasher.batch();
            batch.add(row::get);
            if (!batch.hash().get(0).hash().equals(expected) || !script.call(row).equals(expected)) {
                throw new IllegalStateException("The hashes differ");
            }
        }
    }

    /** The lines of the script that make the hash, without those that talk to NiFi. */
    private static Closure<?> script() throws IOException {
        final String text = Files.readString(Path.of(System.getProperty(SCRIPT)), StandardCharsets.UTF_8);
        final String imports = text.lines().filter(line -> line.startsWith("import ")).reduce("", (a, b) -> a + b + "\n");
        return (Closure<?>) new GroovyShell().evaluate(imports + text.substring(text.indexOf(BEGIN), text.indexOf(END))
                + "\nreturn { row -> md5(sorted(callColumns).collect { text(row.get(it)) }.join('|')) }");
    }

    @TearDown
    public void close() {
        hasher.close();
    }

    @Benchmark
    public List<HashedRow> nativeLibrary() {
        final RowBatch batch = hasher.batch();
        for (final Map<String, String> row : values) {
            batch.add(row::get);
        }
        return batch.hash();
    }

    @Benchmark
    public void compiledJava(final Blackhole blackhole) {
        for (final Map<String, String> row : values) {
            blackhole.consume(java.hash(row::get));
        }
    }

    @Benchmark
    public void groovyScript(final Blackhole blackhole) {
        for (final Map<String, String> row : values) {
            blackhole.consume(script.call(row));
        }
    }
}
