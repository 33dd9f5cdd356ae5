package dev.rowhash.nifi.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class RowHasherTest {

    private static final long DEADLINE_SECONDS = 120;

    @ParameterizedTest
    @MethodSource("dev.rowhash.nifi.jni.Vectors#all")
    void givesTheGoldenHash(final Vectors.Case golden) {
        try (RowHasher hasher = RowHasher.open(golden.columnList(), "row_hash", golden.form())) {
            assertThat(hasher.canonicalText(golden.row()::get)).isEqualTo(golden.canonical());
            assertThat(hash(hasher, golden.row()::get).hash()).isEqualTo(golden.rowHash());
        }
    }

    @Test
    void everyGoldenHashIsTheSameInAnyEncodingAndLocaleOfTheJvm() throws Exception {
        final ForkedJvm.Result result = ForkedJvm.run(
                List.of("-Dfile.encoding=ISO-8859-1", "-Duser.language=tr", "-Duser.country=TR"), GoldenVectors.class, "jni");

        assertThat(result.exitCode()).as(result.output()).isZero();
    }

    @Test
    void oneBatchOfManyRowsGivesEachItsHash() {
        final Random random = new Random(20260225);
        final List<String> sorted = List.of("B", "_c", "a", "d", "이름");
        try (RowHasher hasher = RowHasher.open("이름,d,a,_c,B", "row_hash", "Compatible")) {
            assertThat(hasher.columns()).isEqualTo(sorted);
            for (final int rows : new int[] {0, 1, 2, 3, 16, 17, 300}) {
                final RowBatch batch = hasher.batch();
                final List<String> expected = new ArrayList<>();
                for (int i = 0; i < rows; i++) {
                    final Map<String, String> row = new HashMap<>();
                    sorted.forEach(column -> row.put(column, randomText(random)));
                    batch.add(row::get);
                    expected.add(Md5.of(sorted.stream().map(row::get)
                            .map(value -> value == null || value.isEmpty() ? "\\N" : value)
                            .collect(Collectors.joining("|"))));
                }
                assertThat(batch.size()).isEqualTo(rows);
                assertThat(batch.hash()).extracting(HashedRow::hash).isEqualTo(expected);
            }
        }
    }

    @Test
    void longAndRareValuesAreHashedAsJavaEncodesThem() {
        final List<String> values = List.of("a\0b", "\uFEFFa", "\uD83D\uDE00", "\uD800", "x\uDC00y", "\uDC00\uD800",
                "x".repeat(1 << 20), "각".repeat(1 << 20), "\uD83D\uDE00".repeat(1 << 19), "\uD800".repeat(1 << 20));
        try (RowHasher hasher = RowHasher.open("a", "row_hash", "Compatible")) {
            final RowBatch batch = hasher.batch();
            values.forEach(value -> batch.add(column -> value));
            assertThat(batch.hash()).extracting(HashedRow::hash)
                    .isEqualTo(values.stream().map(Md5::of).toList());
        }
    }

    @Test
    void findsRowsWithoutValuesAndAmbiguousColumns() {
        try (RowHasher hasher = RowHasher.open("c,b,a", "row_hash", "Compatible")) {
            final RowBatch batch = hasher.batch();
            batch.add(column -> null);
            batch.add(column -> "");
            batch.add(column -> " ");
            batch.add(Map.of("a", "x", "c", "y|z", "b", "\\N")::get);
            batch.add(Map.of("c", "|")::get);

            final List<HashedRow> rows = batch.hash();

            assertThat(rows).extracting(HashedRow::isWithoutValues).containsExactly(true, true, false, false, false);
            assertThat(rows).extracting(row -> row.ambiguousColumn().orElse("none"))
                    .containsExactly("none", "none", "none", "b", "c");
        }
    }

    @Test
    void noRowIsAmbiguousInTheEscapedForm() {
        try (RowHasher hasher = RowHasher.open("a,b", "row_hash", "Escaped")) {
            final Function<String, String> row = Map.of("a", "x|y", "b", "\\N")::get;
            assertThat(hasher.canonicalText(row)).isEqualTo("x\\|y|\\\\N");
            assertThat(hash(hasher, row).hash()).isEqualTo(Md5.of("x\\|y|\\\\N"));
            assertThat(hash(hasher, row).ambiguousColumn()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", ",", "a,", "a,,b", "a,b,a", "a, a", "a,row_hash", "a,key"})
    void aColumnListThatContradictsItselfIsRefused(final String columns) {
        assertThatThrownBy(() -> RowHasher.open(columns, "key", "Compatible").close())
                .isInstanceOf(IllegalArgumentException.class).message().isNotBlank();
    }

    @Test
    void aBadHashColumnOrFormIsRefused() {
        assertThatThrownBy(() -> RowHasher.open("a", "", "Compatible").close())
                .isInstanceOf(IllegalArgumentException.class).message().isNotBlank();
        assertThatThrownBy(() -> RowHasher.open("a", "row_hash", "Compact").close())
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("Compact");
    }

    @Test
    void halfASurrogatePairInANameIsRefused() {
        assertThatThrownBy(() -> RowHasher.open("a,x\uD800y", "row_hash", "Compatible").close())
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("holds half a surrogate pair");
        assertThatThrownBy(() -> RowHasher.open("a", "\uDC00", "Compatible").close())
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("holds half a surrogate pair");
    }

    @Test
    void aHandleWhoseColumnsCannotBeReadIsClosed() {
        NativeLibrary.get();
        final int before = RowHasher.openCount();
        final long handle = Bindings.open("a", "row_hash", "Compatible");
        assertThat(Bindings.columns(handle)).containsExactly("a");

        final RowHashException unreadable = new RowHashException("no columns");
        assertThatThrownBy(() -> RowHasher.own(handle, number -> {
            throw unreadable;
        })).isSameAs(unreadable);

        assertThatThrownBy(() -> Bindings.columns(handle)).isInstanceOf(IllegalStateException.class);
        assertThat(RowHasher.openCount()).isEqualTo(before);
    }

    @Test
    void aHasherCountsAsOpenUntilItIsClosed() {
        final int before = RowHasher.openCount();
        final RowHasher hasher = RowHasher.open("a", "row_hash", "Compatible");
        assertThat(RowHasher.openCount()).isEqualTo(before + 1);
        hasher.close();
        hasher.close();
        assertThat(RowHasher.openCount()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void aCallThatHashedAnotherNumberOfRowsIsAFailure(final int hashed) {
        try (RowHasher hasher = RowHasher.open("a", "row_hash", "Compatible")) {
            final RowBatch batch = hasher.batch();
            batch.add(column -> "x");
            batch.add(column -> "y");
            assertThatThrownBy(() -> batch.hash((handle, values, lengths, rows, results) -> hashed))
                    .isInstanceOf(RowHashException.class).hasMessageContaining("without hashing the rows");
        }
    }

    @Test
    void useAfterCloseIsAnException() {
        final RowHasher hasher = RowHasher.open("a", "row_hash", "Compatible");
        final RowBatch batch = hasher.batch();
        batch.add(column -> "x");
        hasher.close();
        hasher.close();

        assertThatThrownBy(batch::hash).isInstanceOf(IllegalStateException.class).message().isNotBlank();
        assertThatThrownBy(() -> hasher.canonicalText(column -> "x")).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, 1L << 40, Long.MIN_VALUE, Long.MAX_VALUE})
    void aMadeUpHandleIsAnException(final long handle) {
        NativeLibrary.get();
        assertThatThrownBy(() -> Bindings.columns(handle)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Bindings.hash(handle, new char[1], new int[] {1}, 1, new byte[36]))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Bindings.canonicalText(handle, new char[1], new int[] {1}))
                .isInstanceOf(IllegalStateException.class);
        Bindings.close(handle);
    }

    @Test
    void argumentsThatContradictEachOtherAreRefusedAndNothingIsWritten() {
        try (RowHasher hasher = RowHasher.open("a,b", "row_hash", "Compatible")) {
            final char[] values = "xyz".toCharArray();
            assertRefused(hasher, values, new int[] {1, 2, 3}, 2, 72);
            assertRefused(hasher, values, new int[] {}, 1, 36);
            assertRefused(hasher, values, new int[] {2, 2}, 1, 36);
            assertRefused(hasher, values, new int[] {1, -1}, 1, 36);
            assertRefused(hasher, values, new int[] {-1, 3}, 1, 36);
            assertRefused(hasher, values, new int[] {Integer.MAX_VALUE, Integer.MAX_VALUE}, 1, 36);
            assertRefused(hasher, values, new int[] {1, 2}, -1, 36);
            assertRefused(hasher, values, new int[] {1, 2}, Integer.MAX_VALUE, 36);
            assertRefused(hasher, values, new int[] {1, 2}, 1, 35);
            assertThatThrownBy(() -> Bindings.canonicalText(hasher.handle(), values, new int[] {1}))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> Bindings.canonicalText(hasher.handle(), values, new int[] {3, 1}))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void nullsAreExceptions() {
        NativeLibrary.get();
        assertThatThrownBy(() -> Bindings.open(null, "row_hash", "Compatible")).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> Bindings.open("a", null, "Compatible")).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> Bindings.open("a", "row_hash", null)).isInstanceOf(RuntimeException.class);
        try (RowHasher hasher = RowHasher.open("a", "row_hash", "Compatible")) {
            final long handle = hasher.handle();
            assertThatThrownBy(() -> Bindings.hash(handle, null, new int[1], 1, new byte[36]))
                    .isInstanceOf(RuntimeException.class);
            assertThatThrownBy(() -> Bindings.hash(handle, new char[1], null, 1, new byte[36]))
                    .isInstanceOf(RuntimeException.class);
            assertThatThrownBy(() -> Bindings.hash(handle, new char[1], new int[1], 1, null))
                    .isInstanceOf(RuntimeException.class);
            assertThatThrownBy(() -> Bindings.canonicalText(handle, null, null)).isInstanceOf(RuntimeException.class);
        }
    }

    @Test
    void aBatchThatWouldOutgrowItsLimitKeepsTheRowsItHas() {
        try (RowHasher hasher = RowHasher.open("a,b", "row_hash", "Compatible")) {
            final RowBatch batch = new RowBatch(hasher, new Cells(hasher.columns(), 5));
            batch.add(Map.of("a", "xy", "b", "z")::get);
            assertThatThrownBy(() -> batch.add(Map.of("a", "1", "b", "23")::get))
                    .isInstanceOf(RowHashException.class).hasMessageContaining("Column 'b'");
            batch.add(Map.of("a", "1", "b", "2")::get);

            assertThat(batch.characters()).isEqualTo(5);
            assertThat(batch.hash()).extracting(HashedRow::hash).containsExactly(Md5.of("xy|z"), Md5.of("1|2"));
        }
    }

    @Test
    void closingDuringCallsIsSafe() throws Exception {
        final ExecutorService executor = Executors.newFixedThreadPool(4);
        try {
            for (int round = 0; round < 50; round++) {
                final RowHasher hasher = RowHasher.open("a", "row_hash", "Compatible");
                final CountDownLatch running = new CountDownLatch(4);
                final List<Future<?>> futures = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    futures.add(executor.submit(() -> hashUntilClosed(hasher, running)));
                }
                assertThat(running.await(DEADLINE_SECONDS, TimeUnit.SECONDS)).as("every thread has hashed").isTrue();
                hasher.close();
                for (final Future<?> future : futures) {
                    future.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
                }
            }
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void aPanicInTheLibraryIsAnExceptionAndTheJvmGoesOn() throws Exception {
        final ForkedJvm.Result result = ForkedJvm.run(List.of(ForkedJvm.testHooks()), PanicMain.class);

        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output()).contains("RowHashException").contains("goes on");
    }

    /** Runs in a JVM with the library that panics on demand. */
    static final class PanicMain {
        public static void main(final String[] arguments) {
            try (RowHasher hasher = RowHasher.open("a", "row_hash", "Compatible")) {
                for (int i = 0; i < 100; i++) {
                    assertThatThrownBy(() -> hash(hasher, column -> "rowhash-test-hook:panic"))
                            .isExactlyInstanceOf(RowHashException.class)
                            .hasMessageContaining("a test asked for this panic")
                            .satisfies(thrown -> System.out.println(thrown));
                    assertThat(hash(hasher, column -> "x").hash()).isEqualTo(Md5.of("x"));
                }
            }
            System.out.println("goes on");
        }
    }

    private static void hashUntilClosed(final RowHasher hasher, final CountDownLatch running) {
        final String expected = Md5.of("x");
        final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        boolean first = true;
        while (true) {
            try {
                assertThat(end - System.nanoTime()).as("closed before the deadline").isPositive();
                assertThat(hash(hasher, column -> "x").hash()).isEqualTo(expected);
            } catch (final IllegalStateException e) {
                return;
            } finally {
                if (first) {
                    running.countDown();
                    first = false;
                }
            }
        }
    }

    private static void assertRefused(final RowHasher hasher, final char[] values, final int[] lengths, final int rows,
                                      final int length) {
        final byte[] results = new byte[length];
        Arrays.fill(results, (byte) 7);
        assertThatThrownBy(() -> Bindings.hash(hasher.handle(), values, lengths, rows, results))
                .as("lengths %s, %d rows", Arrays.toString(lengths), rows)
                .isInstanceOf(IllegalArgumentException.class).message().isNotBlank();
        assertThat(results).containsOnly(7);
    }

    private static HashedRow hash(final RowHasher hasher, final Function<String, String> row) {
        final RowBatch batch = hasher.batch();
        batch.add(row);
        return batch.hash().get(0);
    }

    /** Null, empty, short and long texts of characters that each take another way through an encoder. */
    private static String randomText(final Random random) {
        if (random.nextInt(10) == 0) {
            return random.nextBoolean() ? null : "";
        }
        final String alphabet = "a\0 |\\N\u00e9각\uFEFF\uD83D\uDE00\uD800\uDC00\r\n";
        final int length = random.nextInt(random.nextInt(10) == 0 ? 3000 : 40);
        return random.ints(length, 0, alphabet.length())
                .collect(StringBuilder::new, (text, i) -> text.append(alphabet.charAt(i)), StringBuilder::append).toString();
    }
}
