package dev.rowhash.bench;

import dev.rowhash.nifi.jni.ContentCounts;
import dev.rowhash.nifi.jni.ContentHasher;
import dev.rowhash.nifi.jni.ContentRules;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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

/** Lines of tabs taken apart by a pattern of 17 groups, NDJSON with the hash out: the native library, and Java's own. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@State(Scope.Thread)
@Fork(1)
@Warmup(iterations = 20, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 150, time = 20, timeUnit = TimeUnit.MILLISECONDS)
public class PatternBenchmark {
    private static final int LINES = 1_000;
    private static final int VALUE_BYTES = 408;

    @Param({"ascii", "korean"})
    private String alphabet;

    private byte[] content;
    private CompiledJava java;
    private Pattern pattern;
    private ContentHasher hasher;

    @Setup
    public void prepare() throws IOException {
        content = Rows.of(LINES, alphabet, VALUE_BYTES).stream()
                .map(row -> Rows.COLUMNS.stream().map(row::get).collect(Collectors.joining("\t")) + "\n")
                .collect(Collectors.joining()).getBytes(StandardCharsets.UTF_8);
        java = new CompiledJava(Rows.COLUMNS);
        // Java's names of groups have no underscore; both take them by their order.
        pattern = Pattern.compile(Rows.COLUMNS.stream().map(column -> "([^\\t]*)").collect(Collectors.joining("\\t")));
        hasher = ContentHasher.open(ContentRules.pattern(String.join(",", Rows.COLUMNS), "row_hash", "Compatible",
                Rows.COLUMNS.stream().map(column -> "(?<" + column + ">[^\\t]*)")
                        .collect(Collectors.joining("\\t", "^", "$"))));

        final ByteArrayOutputStream fromLibrary = new ByteArrayOutputStream();
        hasher.transfer(new ByteArrayInputStream(content), fromLibrary, OutputStream.nullOutputStream());
        final ByteArrayOutputStream fromJava = new ByteArrayOutputStream();
        hashWithJava(fromJava);
        if (!Arrays.equals(fromLibrary.toByteArray(), fromJava.toByteArray())) {
            throw new IllegalStateException("The contents differ");
        }
    }

    @TearDown
    public void close() {
        hasher.close();
    }

    @Benchmark
    public ContentCounts nativeLibrary() throws IOException {
        return hasher.transfer(new ByteArrayInputStream(content), OutputStream.nullOutputStream(),
                OutputStream.nullOutputStream());
    }

    @Benchmark
    public void javaRegex() throws IOException {
        hashWithJava(OutputStream.nullOutputStream());
    }

    private void hashWithJava(final OutputStream out) throws IOException {
        int start = 0;
        for (int end = 0; end < content.length; end++) {
            if (content[end] == '\n') {
                hashLine(new String(content, start, end - start, StandardCharsets.UTF_8), out);
                start = end + 1;
            }
        }
    }

    private void hashLine(final String line, final OutputStream out) throws IOException {
        final Matcher matcher = pattern.matcher(line);
        if (!matcher.matches()) {
            throw new IllegalStateException("A line that the pattern does not match");
        }
        final Map<String, String> row = new HashMap<>();
        final StringBuilder json = new StringBuilder();
        for (int i = 0; i < Rows.COLUMNS.size(); i++) {
            final String value = matcher.group(i + 1);
            row.put(Rows.COLUMNS.get(i), value);
            // No value here needs an escape.
            json.append(i == 0 ? '{' : ',').append('"').append(Rows.COLUMNS.get(i)).append("\":\"").append(value).append('"');
        }
        json.append(",\"row_hash\":\"").append(java.hash(row::get)).append("\"}\n");
        out.write(json.toString().getBytes(StandardCharsets.UTF_8));
    }
}
