package dev.rowhash.bench;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rowhash.nifi.jni.ContentCounts;
import dev.rowhash.nifi.jni.ContentHasher;
import dev.rowhash.nifi.jni.ContentRules;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
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

/** NDJSON lines in, the same lines with the hash out: the native library, and Jackson's streaming parser with Java's MD5. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@State(Scope.Thread)
@Fork(1)
@Warmup(iterations = 20, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 150, time = 20, timeUnit = TimeUnit.MILLISECONDS)
public class ContentBenchmark {
    private static final int LINES = 10_000;
    /** With names and quotes a line of ASCII has 683 bytes. */
    private static final int VALUE_BYTES = 408;
    private static final int WINDOW = 128 * 1024;
    private static final byte[] FIELD = ",\"row_hash\":\"".getBytes(StandardCharsets.US_ASCII);

    private final JsonFactory json = new JsonFactory();

    @Param({"ascii", "korean"})
    private String alphabet;

    private byte[] content;
    private Path file;
    private Path target;
    private CompiledJava java;
    private ContentHasher hasher;

    @Setup
    public void prepare() throws IOException {
        final ObjectMapper mapper = new ObjectMapper();
        final ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (final Map<String, String> row : Rows.of(LINES, alphabet, VALUE_BYTES)) {
            final Map<String, Object> object = new LinkedHashMap<>();
            Rows.COLUMNS.forEach(column -> object.put(column, row.get(column)));
            object.put("line", lines.size());
            lines.writeBytes(mapper.writeValueAsBytes(object));
            lines.write('\n');
        }
        content = lines.toByteArray();
        java = new CompiledJava(Rows.COLUMNS);
        hasher = ContentHasher.open(ContentRules.ndjson(String.join(",", Rows.COLUMNS), "row_hash", "Compatible"));

        file = Files.createTempFile("rows", ".ndjson");
        target = Files.createTempFile("hashed", ".ndjson");
        Files.write(file, content);

        final ByteArrayOutputStream fromLibrary = new ByteArrayOutputStream();
        hasher.transfer(new ByteArrayInputStream(content), fromLibrary, OutputStream.nullOutputStream());
        final ByteArrayOutputStream fromJackson = new ByteArrayOutputStream();
        hashWithJackson(fromJackson);
        if (!Arrays.equals(fromLibrary.toByteArray(), fromJackson.toByteArray())) {
            throw new IllegalStateException("The contents differ");
        }
    }

    @TearDown
    public void close() throws IOException {
        hasher.close();
        Files.delete(file);
        Files.delete(target);
    }

    @Benchmark
    public ContentCounts nativeLibrary() throws IOException {
        return hasher.transfer(new ByteArrayInputStream(content), OutputStream.nullOutputStream(),
                OutputStream.nullOutputStream());
    }

    @Benchmark
    public void jacksonStreaming() throws IOException {
        hashWithJackson(OutputStream.nullOutputStream());
    }

    /** What the bytes alone cost. */
    @Benchmark
    public long copied() throws IOException {
        return new ByteArrayInputStream(content).transferTo(new ByteArrayOutputStream(content.length));
    }

    @Benchmark
    public ContentCounts fileToFile() throws IOException {
        try (InputStream in = Files.newInputStream(file); OutputStream out = Files.newOutputStream(target)) {
            return hasher.transfer(in, out, OutputStream.nullOutputStream());
        }
    }

    /** What {@link #fileToFile} is compared with: the same bytes read and written. */
    @Benchmark
    public long readAndWrite() throws IOException {
        try (InputStream in = Files.newInputStream(file); OutputStream out = Files.newOutputStream(target)) {
            final byte[] window = new byte[WINDOW];
            long length = 0;
            int read = in.read(window);
            while (read >= 0) {
                out.write(window, 0, read);
                length += read;
                read = in.read(window);
            }
            return length;
        }
    }

    private void hashWithJackson(final OutputStream out) throws IOException {
        int start = 0;
        for (int end = 0; end < content.length; end++) {
            if (content[end] == '\n') {
                hashLine(start, end, out);
                start = end + 1;
            }
        }
    }

    private void hashLine(final int start, final int end, final OutputStream out) throws IOException {
        final Map<String, String> row = new HashMap<>();
        try (JsonParser parser = json.createParser(content, start, end - start)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                final String name = parser.currentName();
                parser.nextToken();
                row.put(name, parser.getText());
            }
        }
        out.write(content, start, end - start - 1);
        out.write(FIELD);
        out.write(java.hash(row::get).getBytes(StandardCharsets.US_ASCII));
        out.write('"');
        out.write('}');
        out.write('\n');
    }
}
