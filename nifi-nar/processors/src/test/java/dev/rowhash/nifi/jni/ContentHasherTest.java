package dev.rowhash.nifi.jni;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(300)
class ContentHasherTest {

    private static final String FORM = "Compatible";

    @Test
    void addsTheHashToEachLineOfNdjson() throws IOException {
        assertThat(transfer(ndjson("b,a"), "{\"a\":\"x\"}\r\n\n{ \"b\": 1.50, \"a\":\"y\" }").rows)
                .isEqualTo("{\"a\":\"x\",\"row_hash\":\"" + Md5.of("x|\\N") + "\"}\r\n\n"
                        + "{ \"b\": 1.50, \"a\":\"y\" ,\"row_hash\":\"" + Md5.of("y|1.5") + "\"}");
    }

    @Test
    void setsBadRowsAsideWithTheirPlaceAndText() throws IOException {
        final Result result = transfer(ndjson("a"), "{\"a\":1}\n\n{\"a\":[1]}\n{\"a\":2}\nno \"json\"\n");

        assertThat(result.counts.rows()).isEqualTo(2);
        assertThat(result.counts.rejected()).isEqualTo(2);
        assertThat(result.rejects).isEqualTo("{\"row_index\":2,\"line_number\":3,"
                + "\"error_message\":\"column 'a': arrays, maps and records cannot be hashed\","
                + "\"line_content\":\"{\\\"a\\\":[1]}\"}\n"
                + "{\"row_index\":4,\"line_number\":5,"
                + "\"error_message\":\"not a JSON object: expected ident at column 2\","
                + "\"line_content\":\"no \\\"json\\\"\"}\n");
    }

    @Test
    void readsDelimitedTextByItsHeader() throws IOException {
        final Result result = transfer(ContentRules.delimited("a,b", "row_hash", FORM, ",").writeNull("a,row_hash"),
                "\uFEFFb,a,z\r\n\"x,\"\"\n\",,\r\n1,2\r\n");

        assertThat(result.rows).isEqualTo("{\"b\":\"x,\\\"\\n\",\"a\":\"\",\"z\":null,\"row_hash\":\""
                + Md5.of("\\N|x,\"\n") + "\"}\n");
        assertThat(result.rejects).isEqualTo("{\"row_index\":2,\"line_number\":4,\"error_message\":\"the row has 2 cells where"
                + " the header has 3: check the delimiter and the quotes of the row\",\"line_content\":\"1,2\"}\n");
    }

    @Test
    void keepsDelimitedTextAndAddsACell() throws IOException {
        assertThat(transfer(ContentRules.delimited("a,b", "row_hash", FORM, "\\t").withoutQuoting().delimitedOutput(),
                "a\tb\n\"x\t\ry\r\n").rows)
                .isEqualTo("a\tb\trow_hash\n\"x\t\ry\t" + Md5.of("\"x|\ry") + "\r\n");
    }

    @Test
    void takesNamesForCellsAndReplacesAHash() throws IOException {
        assertThat(transfer(ContentRules.delimited("a", "row_hash", FORM, "|").header("row_hash, a").delimitedOutput(),
                "old|x\n").rows).isEqualTo(Md5.of("x") + "|x\n");
    }

    @Test
    void takesLinesApartByAPattern() throws IOException {
        final Result result = transfer(ContentRules.pattern("a,b", "row_hash", FORM, "^(?<b>[^\\t]*)\\t(?<a>.*)$"),
                "x\ty\n\nnone\n");

        assertThat(result.rows)
                .isEqualTo("{\"b\":\"x\",\"a\":\"y\",\"row_hash\":\"" + Md5.of("y|x") + "\"}\n");
        assertThat(result.rejects).isEqualTo("{\"row_index\":2,\"line_number\":3,"
                + "\"error_message\":\"the line does not match the pattern\",\"line_content\":\"none\"}\n");
    }

    @Test
    void refusesAmbiguousRowsAndRowsWithoutValuesWithTheMessageThatIsGiven() throws IOException {
        final Result result = transfer(ndjson("a,b").refuseAmbiguousRows("see {column}").refuseRowsWithoutValues("nothing"),
                "{\"a\":\"x\",\"b\":\"y|z\"}\n{}\n{\"a\":1}");

        assertThat(result.counts.rows()).isEqualTo(1);
        assertThat(result.counts.ambiguous()).isEqualTo(1);
        assertThat(result.rejects).contains("\"error_message\":\"see b\"").contains("\"error_message\":\"nothing\"");
    }

    @Test
    void allowsAndCountsThemUnlessTold() throws IOException {
        final Result result = transfer(ndjson("a,b"), "{\"a\":\"x\",\"b\":\"y|z\"}\n{}\n");

        assertThat(result.counts.rows()).isEqualTo(2);
        assertThat(result.counts.ambiguous()).isEqualTo(1);
        assertThat(result.counts.rejected()).isZero();
    }

    @Test
    void aLineThatIsTooLongIsRefusedAndTheNextOneIsNot() throws IOException {
        final String line = "{\"a\":\"" + "x".repeat(3_000_000) + "\"}";
        final Result result = transfer(ndjson("a").longestLine(1_000_000), line + "\n{\"a\":1}\n" + line);

        assertThat(result.rows).isEqualTo("{\"a\":1,\"row_hash\":\"" + Md5.of("1") + "\"}\n");
        assertThat(result.rejects).startsWith("{\"row_index\":1,\"line_number\":1,\"error_message\":\"the line has 3000008 bytes")
                .contains("{\"row_index\":3,\"line_number\":3,").contains("\"line_content\":null}");
    }

    @Test
    void longLinesAndManyShortOnesCrossTheWindows() throws IOException {
        final StringBuilder content = new StringBuilder();
        final StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 3_000; i++) {
            final String value = "각".repeat(i % 7 * 100) + i;
            content.append("{\"a\":\"").append(value).append("\"}\n");
            expected.append("{\"a\":\"").append(value).append("\",\"row_hash\":\"").append(Md5.of(value)).append("\"}\n");
        }
        // Each line becomes longer than any window.
        final String wide = "x".repeat(600_000);
        content.append("{}\n".repeat(300_000)).append("{\"a\":\"").append(wide).append("\"}");
        expected.append(("{\"row_hash\":\"" + Md5.of("\\N") + "\"}\n").repeat(300_000))
                .append("{\"a\":\"").append(wide).append("\",\"row_hash\":\"").append(Md5.of(wide)).append("\"}");

        assertThat(transfer(ndjson("a"), content.toString()).rows.equals(expected.toString())).isTrue();
    }

    @Test
    void anEmptyContentHasNoRows() throws IOException {
        for (final ContentRules rules : List.of(ndjson("a"), ContentRules.delimited("a", "row_hash", FORM, ","),
                ContentRules.pattern("a", "row_hash", FORM, "(?<a>.)"))) {
            final Result result = transfer(rules, "");
            assertThat(result.rows).isEmpty();
            assertThat(result.counts.rows() + result.counts.rejected()).isZero();
        }
    }

    @Test
    void aHeaderWithoutTheColumnsRefusesTheContent() {
        assertThatThrownBy(() -> transfer(ContentRules.delimited("a,b", "row_hash", FORM, ","), "a,c\n1,2\n"))
                .isInstanceOf(RefusedContentException.class)
                .hasMessageContaining("no column 'b'").hasMessageContaining("a, c");
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '`', value = {
        "a,a;row_hash;Compatible;'a' is in the list twice",
        "a;row_hash;Fancy;is no canonical form",
    })
    void rulesThatContradictThemselvesAreRefused(final String columns, final String hashColumn, final String form,
                                                 final String message) {
        assertThatThrownBy(() -> ContentHasher.open(ContentRules.ndjson(columns, hashColumn, form)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining(message);
    }

    @Test
    void delimitersHeadersAndPatternsThatCannotWorkAreRefused() {
        refused(ContentRules.delimited("a", "row_hash", FORM, "||"), "'||' is no delimiter");
        refused(ContentRules.delimited("a", "row_hash", FORM, "\\u000a"), "line break");
        refused(ContentRules.delimited("a", "row_hash", FORM, "\""), "quote");
        refused(ContentRules.delimited("a", "row_hash", FORM, ",").header("a,b,a"), "'a' twice, as columns 1 and 3");
        refused(ContentRules.delimited("a", "row_hash", FORM, ",").header("b"), "no column 'a'");
        refused(ContentRules.delimited("a", "row_hash", FORM, ",").header("a,b").writeNull("c"), "no column 'c'");
        refused(ContentRules.delimited("a", "h,", FORM, ",").delimitedOutput(), "another name");
        refused(ContentRules.pattern("a", "row_hash", FORM, "(?<b>.)"), "no group named 'a' (its named groups: b)");
        refused(ContentRules.pattern("a", "row_hash", FORM, "(?<a>"), "the pattern cannot be used");
        refused(ContentRules.pattern("a", "row_hash", FORM, "(?<a>(.{1000}){1000}){1000}"), "size limit");
        refused(ndjson("a").longestLine(0), "larger one");
        refused(ndjson("a").longestLine(-1), "negative");
    }

    @Test
    void afterCloseEachCallIsAnException() {
        final int before = ContentHasher.openCount();
        final ContentHasher hasher = ContentHasher.open(ndjson("a"));
        assertThat(ContentHasher.openCount()).isEqualTo(before + 1);
        hasher.close();
        hasher.close();
        assertThat(ContentHasher.openCount()).isEqualTo(before);
        assertThatThrownBy(() -> hasher.transfer(bytes("{}"), new ByteArrayOutputStream(), new ByteArrayOutputStream()))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
        assertThatThrownBy(() -> Bindings.pushContent(4711, new byte[1], 1, new long[5]))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void callsThatContradictThemselvesAreExceptions() {
        try (ContentHasher hasher = ContentHasher.open(ndjson("a"))) {
            assertThat(hasher.columns()).containsExactly("a");
        }
        final long rules = ndjson("a").open();
        final long session = Bindings.startContent(rules);
        Bindings.closeContent(rules);
        final byte[] window = new byte[10];
        for (final Callable<?> call : List.<Callable<?>>of(
                () -> push(session, window, 11, new long[5]),
                () -> push(session, window, -1, new long[5]),
                () -> push(session, window, 1, new long[4]),
                () -> push(session, null, 1, new long[5]),
                () -> Bindings.contentRows(session, -1, window),
                () -> Bindings.contentRejects(session, 100, window),
                () -> Bindings.openContent(new String[3], 1))) {
            assertThatThrownBy(call::call).isInstanceOf(IllegalArgumentException.class);
        }
        Bindings.endContent(session);
        Bindings.endContent(session);
    }

    @Test
    void aStreamThatFailsEndsTheSession() {
        final InputStream broken = new SequenceInputStream(bytes("{}\n"), new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("torn");
            }
        });
        try (ContentHasher hasher = ContentHasher.open(ndjson("a"))) {
            assertThatThrownBy(() -> hasher.transfer(broken, new ByteArrayOutputStream(), new ByteArrayOutputStream()))
                    .isInstanceOf(IOException.class).hasMessage("torn");
        }
    }

    @Test
    void oneHasherServesManyThreads() throws Exception {
        final ExecutorService threads = Executors.newFixedThreadPool(8);
        try (ContentHasher hasher = ContentHasher.open(ndjson("a"))) {
            final List<Future<Boolean>> results = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                final String value = "v" + i;
                results.add(threads.submit(() -> transfer(hasher, ("{\"a\":\"" + value + "\"}\n").repeat(20_000)).rows.equals(
                        ("{\"a\":\"" + value + "\",\"row_hash\":\"" + Md5.of(value) + "\"}\n").repeat(20_000))));
            }
            for (final Future<Boolean> result : results) {
                assertThat(result.get(120, TimeUnit.SECONDS)).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void rejectsAreNotTouchedWithoutAny() throws IOException {
        final OutputStream untouched = new OutputStream() {
            @Override
            public void write(final int b) {
                throw new AssertionError("written");
            }
        };
        try (ContentHasher hasher = ContentHasher.open(ndjson("a"))) {
            final ByteArrayOutputStream rows = new ByteArrayOutputStream();
            hasher.transfer(bytes("{\"a\":1}"), rows, untouched);
            assertThat(rows.size()).isPositive();
        }
    }

    @Test
    void aPanicInTheLibraryIsAnExceptionAndTheJvmGoesOn() throws Exception {
        final ForkedJvm.Result result = ForkedJvm.run(List.of(ForkedJvm.testHooks()), PanicMain.class);

        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output()).contains("goes on");
    }

    /** Runs in a JVM with the library that panics on demand. */
    static final class PanicMain {
        public static void main(final String[] arguments) throws IOException {
            try (ContentHasher hasher = ContentHasher.open(ndjson("a"))) {
                for (int i = 0; i < 100; i++) {
                    assertThatThrownBy(() -> transfer(hasher, "{\"a\":\"rowhash-test-hook:panic\"}"))
                            .isExactlyInstanceOf(RowHashException.class)
                            .hasMessageContaining("a test asked for this panic");
                    assertThat(transfer(hasher, "{\"a\":1}").rows).contains(Md5.of("1"));
                }
            }
            System.out.println("goes on");
        }
    }

    @Test
    void aContentFarLargerThanTheHeapGoesThrough() throws Exception {
        final ForkedJvm.Result result = ForkedJvm.run(List.of("-Xmx32m"), LargeMain.class);

        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output()).contains("4000000 rows, 1000000 refused");
    }

    /** Five million lines, every fifth of them bad. */
    static final class LargeMain {
        private static final int REPETITIONS = 1_000_000;

        public static void main(final String[] arguments) throws IOException {
            final byte[] lines = ("{\"a\":\"" + "x".repeat(60) + "\"}\n").repeat(4).concat("no object\n").getBytes(UTF_8);
            final InputStream content = new InputStream() {
                private long at;

                @Override
                public int read() {
                    final byte[] one = new byte[1];
                    return read(one, 0, 1) < 0 ? -1 : one[0];
                }

                @Override
                public int read(final byte[] into, final int offset, final int length) {
                    final long left = (long) REPETITIONS * lines.length - at;
                    final int start = (int) (at % lines.length);
                    final int read = (int) Math.min(Math.min(length, lines.length - start), left);
                    System.arraycopy(lines, start, into, offset, read);
                    at += read;
                    return read == 0 ? -1 : read;
                }
            };
            try (ContentHasher hasher = ContentHasher.open(ndjson("a"))) {
                final ContentCounts counts =
                        hasher.transfer(content, OutputStream.nullOutputStream(), OutputStream.nullOutputStream());
                System.out.println(counts.rows() + " rows, " + counts.rejected() + " refused");
            }
        }
    }

    private static Object push(final long session, final byte[] window, final int length, final long[] sizes) {
        Bindings.pushContent(session, window, length, sizes);
        return Collections.emptyList();
    }

    private static void refused(final ContentRules rules, final String message) {
        assertThatThrownBy(() -> ContentHasher.open(rules))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining(message);
    }

    private static ContentRules ndjson(final String columns) {
        return ContentRules.ndjson(columns, "row_hash", FORM);
    }

    private static InputStream bytes(final String text) {
        return new ByteArrayInputStream(text.getBytes(UTF_8));
    }

    private static Result transfer(final ContentRules rules, final String content) throws IOException {
        try (ContentHasher hasher = ContentHasher.open(rules)) {
            return transfer(hasher, content);
        }
    }

    private static Result transfer(final ContentHasher hasher, final String content) throws IOException {
        final ByteArrayOutputStream rows = new ByteArrayOutputStream();
        final ByteArrayOutputStream rejects = new ByteArrayOutputStream();
        final ContentCounts counts = hasher.transfer(bytes(content), rows, rejects);
        return new Result(rows.toString(UTF_8), rejects.toString(UTF_8), counts);
    }

    private static final class Result {
        private final String rows;
        private final String rejects;
        private final ContentCounts counts;

        private Result(final String rows, final String rejects, final ContentCounts counts) {
            this.rows = rows;
            this.rejects = rejects;
            this.counts = counts;
        }
    }
}
