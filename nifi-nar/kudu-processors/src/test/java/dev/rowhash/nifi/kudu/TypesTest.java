package dev.rowhash.nifi.kudu;

import static dev.rowhash.nifi.kudu.Rows.row;
import static dev.rowhash.nifi.kudu.Table.cell;
import static dev.rowhash.nifi.kudu.Table.key;
import static dev.rowhash.nifi.kudu.Table.micros;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.rowhash.runtime.KuduServer;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.stream.Stream;
import org.apache.kudu.Type;
import org.apache.nifi.util.MockFlowFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each type of a column of a real Kudu: what goes in comes out, exactly, or is refused with its reason. */
class TypesTest {

    private static final TimeZone ZONE = TimeZone.getDefault();
    private static final String NOON = "2026-03-02T12:00:00.123456Z";

    private static KuduServer kudu;
    private static Table table;

    @BeforeAll
    static void start() {
        kudu = KuduServer.start();
        table = Table.create(kudu, key("id", Type.STRING), cell("bool", Type.BOOL), cell("int8", Type.INT8),
                cell("int16", Type.INT16), cell("int32", Type.INT32), cell("int64", Type.INT64), cell("float", Type.FLOAT),
                cell("double", Type.DOUBLE), Table.decimal("decimal", 5, 2), Table.decimal("wide", 38, 0),
                cell("at", Type.UNIXTIME_MICROS), cell("date", Type.DATE), cell("text", Type.STRING), Table.varchar("varchar", 4),
                cell("binary", Type.BINARY));
    }

    @AfterAll
    static void stop() {
        if (kudu != null) {
            kudu.close();
        }
    }

    @AfterEach
    void resetZone() {
        TimeZone.setDefault(ZONE);
    }

    static Stream<Arguments> exact() {
        return Stream.of(
                arguments("bool", true, true),
                arguments("bool", "FALSE", false),
                arguments("int8", -128, (byte) -128),
                arguments("int8", "127", (byte) 127),
                arguments("int8", 5.0, (byte) 5),
                arguments("int16", 32_767L, (short) 32_767),
                arguments("int32", BigInteger.valueOf(-2_147_483_648), -2_147_483_648),
                arguments("int32", "1e3", 1000),
                arguments("int64", Long.MIN_VALUE, Long.MIN_VALUE),
                arguments("int64", "9223372036854775807", Long.MAX_VALUE),
                arguments("int64", new BigDecimal("7.000"), 7L),
                arguments("float", 1.5, 1.5f),
                arguments("float", "0.1", 0.1f),
                arguments("float", Float.NaN, Float.NaN),
                arguments("float", 0.1, 0.1f),
                arguments("float", (double) 0.1f, 0.1f),
                arguments("float", "1939030.2", 1_939_030.25f), // as near as 1939030.3
                arguments("float", "1939030.3", 1_939_030.25f),
                arguments("float", "2.4414062E-4", 0x1p-12f),
                arguments("double", "5.684341886080802E-14", 0x1p-44),
                arguments("float", 16_777_216, 16_777_216f),
                arguments("float", "NaN", Float.NaN),
                arguments("float", Double.NEGATIVE_INFINITY, Float.NEGATIVE_INFINITY),
                arguments("double", 0.1, 0.1),
                arguments("double", 0.1f, (double) 0.1f),
                arguments("double", new BigDecimal("0.1"), 0.1),
                arguments("double", "-4.9e-324", -Double.MIN_VALUE),
                arguments("double", "17976931348623157e292", Double.MAX_VALUE),
                arguments("double", 1L << 53, 9_007_199_254_740_992.0),
                arguments("double", 1L << 60, 0x1p60),
                arguments("double", "-Infinity", Double.NEGATIVE_INFINITY),
                arguments("decimal", 0.1, new BigDecimal("0.10")),
                arguments("decimal", "999.99", new BigDecimal("999.99")),
                arguments("decimal", "-1.500", new BigDecimal("-1.50")),
                arguments("decimal", 7, new BigDecimal("7.00")),
                arguments("decimal", 0.1f, new BigDecimal("0.10")),
                arguments("wide", "9".repeat(38), new BigDecimal("9".repeat(38))),
                arguments("at", 1_772_452_800_123L, micros("2026-03-02T12:00:00.123Z")),
                arguments("at", -1L, -1000L),
                arguments("at", 1_772_452_800_123.456, micros(NOON)),
                arguments("at", Timestamp.from(Instant.parse(NOON)), micros(NOON)),
                arguments("at", new java.util.Date(1_772_452_800_123L), micros("2026-03-02T12:00:00.123Z")),
                arguments("at", Instant.parse(NOON), micros(NOON)),
                arguments("at", OffsetDateTime.parse("2026-03-02T21:00:00+09:00"), micros("2026-03-02T12:00:00Z")),
                arguments("at", LocalDateTime.parse("2026-03-02T12:00:00.123456"), micros(NOON)),
                arguments("at", "2026-03-02 12:00:00.123456", micros(NOON)),
                arguments("at", "2026-03-02T12:00", micros("2026-03-02T12:00:00Z")),
                arguments("at", "2026-03-02 21:00:00.123456+09:00", micros(NOON)),
                arguments("at", Date.valueOf("2026-03-02"), micros("2026-03-02T00:00:00Z")),
                arguments("date", "2026-03-02", LocalDate.of(2026, 3, 2)),
                arguments("date", Date.valueOf("0001-01-01"), LocalDate.of(1, 1, 1)),
                arguments("date", LocalDate.of(9999, 12, 31), LocalDate.of(9999, 12, 31)),
                arguments("date", Timestamp.from(Instant.parse("2026-03-02T00:00:00Z")), LocalDate.of(2026, 3, 2)),
                arguments("text", 1_939_030.25f, "1939030.3"), // the text that row_hash is computed from
                arguments("text", 725_590_923_201_779.25, "725590923201779.3"),
                arguments("text", 0x1p60, "1152921504606847000"),
                arguments("text", 0x1p-44, "0.00000000000005684341886080802"),
                arguments("text", Double.MIN_VALUE, "0." + "0".repeat(323) + "5"),
                arguments("text", 2e23, "2" + "0".repeat(23)),
                arguments("text", "", ""),
                arguments("text", "가 😀\u0000|", "가 😀\u0000|"),
                arguments("text", "a\ud800b", "a?b"),
                arguments("text", 5.0, "5"),
                arguments("text", 1e7, "10000000"),
                arguments("text", new BigDecimal("1E-3"), "0.001"),
                arguments("text", -0.0, "0"),
                arguments("text", true, "true"),
                arguments("text", 'x', "x"),
                arguments("text", Date.valueOf("2026-03-02"), "2026-03-02"),
                arguments("text", LocalTime.parse("09:00:01.5"), "09:00:01.5"),
                arguments("text", Timestamp.from(Instant.parse(NOON)), "2026-03-02 12:00:00.123456"),
                arguments("varchar", "가나다라", "가나다라"),
                arguments("varchar", "😀😀", "😀😀"),
                arguments("varchar", 1234, "1234"),
                arguments("binary", "가".getBytes(StandardCharsets.UTF_8), List.of((byte) -22, (byte) -80, (byte) -128)),
                arguments("binary", "가", List.of((byte) -22, (byte) -80, (byte) -128)),
                arguments("binary", new Object[] {(byte) -1, (byte) 0}, List.of((byte) -1, (byte) 0)),
                arguments("binary", new Object[] {-1, 127}, List.of((byte) -1, (byte) 127)));
    }

    @ParameterizedTest
    @MethodSource("exact")
    void isStoredAsItIsAndComesBackFromTheRejectsTheSame(final String column, final Object value, final Object stored) {
        for (final String zone : List.of("UTC", "Asia/Seoul")) {
            TimeZone.setDefault(TimeZone.getTimeZone(zone));
            final Sink sink = new Sink(kudu, table.name()).enqueue(row("id", "exact", column, value)).trigger();
            assertThat(sink.failure()).extracting(flowFile -> flowFile.getAttribute("error_message")).isEmpty();
            assertThat(table.column(column, "id").get("exact")).as("in a JVM of " + zone).isEqualTo(stored);

            // The row as a reject has it, read as JSON and loaded again.
            sink.enqueue(List.of(row("id", "again", column, value, "unknown", "x")), Map.of("load.count", "1")).trigger();
            final String json = (String) Sink.rejects(sink.failure().get(0)).get(0).get("line_content");
            final Map<String, Object> again = Sink.object(json);
            again.remove("unknown");
            again.computeIfPresent(column, (name, array) -> array instanceof List ? ((List<?>) array).toArray() : array);
            sink.enqueue(again).trigger().stop();
            assertThat(table.column(column, "id").get("again")).as(json).isEqualTo(stored);
        }
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                arguments("bool", "yes", "bool is 'yes': a BOOL column takes true or false"),
                arguments("bool", 1, "bool is 1: a BOOL"),
                arguments("int8", 128, "int8 is 128: the column is INT8, from -128 to 127"),
                arguments("int16", -32_769, "INT16, from -32768 to 32767"),
                arguments("int32", 2_147_483_648L, "INT32, from -2147483648 to 2147483647"),
                arguments("int64", "9223372036854775808", "INT64, from"),
                arguments("int32", 1.5, "int32 is 1.5: it is no whole number, and the column is INT32"),
                arguments("int32", "", "int32 is '': it is no number"),
                arguments("int32", "1e999999999", "it is out of range"),
                arguments("int32", Double.NaN, "it is NaN, which is no number"),
                arguments("int64", Instant.EPOCH, "it is no number"),
                arguments("float", 1e39, "out of range for a FLOAT"),
                arguments("float", 16_777_217, "float is 16777217: a FLOAT column would hold 16777216"),
                arguments("float", 0.123456789, "a FLOAT column would hold 0.12345679"),
                arguments("float", 1.0 / 3, "a FLOAT column would hold 0.33333334"),
                arguments("float", "1e-50", "a FLOAT column would hold 0:"),
                arguments("double", (1L << 53) + 1, "a DOUBLE column would hold 9007199254740992"),
                arguments("double", Long.MAX_VALUE, "a DOUBLE column would hold 9.223372036854"),
                arguments("double", "3.14159265358979323846", "a DOUBLE column would hold 3.141592653589793"),
                arguments("double", new BigInteger("9".repeat(400)), "out of range for a DOUBLE"),
                arguments("double", "1e-400", "a DOUBLE column would hold 0:"),
                arguments("double", "1.5f", "it is no number"),
                arguments("double", "1e999", "out of range for a DOUBLE"),
                arguments("double", "x", "it is no number"),
                arguments("decimal", "1.234", "DECIMAL(5, 2), and it has more than 2 digits after the point"),
                arguments("decimal", 0.125, "more than 2 digits after"),
                arguments("decimal", 1000, "more than 3 digits before the point"),
                arguments("wide", "1" + "0".repeat(38), "DECIMAL(38, 0)"),
                arguments("at", "2026-02-30 00:00:00", "it is no timestamp such as"),
                arguments("at", "20260302120000", "it is no timestamp such as"),
                arguments("at", "", "it is no timestamp"),
                arguments("at", Instant.parse("2026-03-02T12:00:00.123456789Z"), "it has nanoseconds"),
                arguments("at", "2026-03-02 12:00:00.1234567", "it has nanoseconds"),
                arguments("at", Long.MAX_VALUE, "it is no number of milliseconds"),
                arguments("at", true, "it is no moment in time"),
                arguments("at", Time.valueOf("09:00:00"), "it is no moment in time"),
                arguments("date", "2026-02-29", "it is no date such as 2026-03-02"),
                arguments("date", 20_000, "it is a number, which could be days or milliseconds"),
                arguments("date", Timestamp.from(Instant.parse(NOON)), "it has a time of day in Z"),
                arguments("date", LocalDate.of(10_000, 1, 1), "takes 0001-01-01 to 9999-12-31"),
                arguments("date", LocalDate.of(1582, 10, 10), "the calendar of 1582"),
                arguments("text", Double.POSITIVE_INFINITY, "it is Infinity, which is no number"),
                arguments("text", new Object[] {"a"}, "text is an array: it is an array, which has no text"),
                arguments("text", Rows.record(row("a", 1)), "it is a record"),
                arguments("text", Map.of("a", 1), "it is a map"),
                arguments("varchar", "abcde", "VARCHAR(4), and it has 5 characters"),
                arguments("varchar", "😀😀a", "VARCHAR(4), and it has 5 characters"),
                arguments("binary", new Object[] {300}, "element 0 of the array is no byte"),
                arguments("binary", 5, "a BINARY column takes bytes or a text"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void isRefusedWithItsReason(final String column, final Object value, final String reason) {
        final Sink sink = new Sink(kudu, table.name()).set("Time Zone", "Z").enqueue(row("id", "refused", column, value)).trigger();

        assertThat(sink.failure()).singleElement().satisfies(failed ->
                assertThat(failed.getAttribute("error_message")).startsWith(column + " is ").contains(reason));
        assertThat(table.column(column, "id")).doesNotContainKey("refused");
        sink.stop();
    }

    @Test
    void theZoneOfATextIsTheOneOfThePropertyWhateverTheJvmsIs() {
        TimeZone.setDefault(TimeZone.getTimeZone("America/New_York"));
        final Sink sink = new Sink(kudu, table.name()).set("Time Zone", "Asia/Seoul");
        sink.enqueue(row("id", "zone 1", "at", "2026-03-02 21:00:00"), row("id", "zone 2", "at", "2026-03-02 12:00:00Z"),
                row("id", "zone 3", "at", LocalDateTime.parse("2026-03-02T21:00:00")),
                row("id", "zone 4", "at", Timestamp.from(Instant.parse("2026-03-02T12:00:00Z")))).trigger();

        assertThat(table.column("at", "id")).containsEntry("zone 1", micros("2026-03-02T12:00:00Z"))
                .containsEntry("zone 2", micros("2026-03-02T12:00:00Z")).containsEntry("zone 3", micros("2026-03-02T12:00:00Z"))
                .containsEntry("zone 4", micros("2026-03-02T12:00:00Z"));
        sink.stop();
    }

    @Test
    void aTimeThatTheClocksSkippedIsRefused() {
        final Sink sink = new Sink(kudu, table.name()).set("Time Zone", "Europe/Berlin")
                .enqueue(row("id", "skipped", "at", "2026-03-29 02:30:00")).trigger();

        assertThat(sink.failure().get(0).getAttribute("error_message")).contains("the clocks of Europe/Berlin skipped this time");
        sink.stop();
    }

    @Test
    void formatsAreStrict() {
        final Sink sink = new Sink(kudu, table.name()).set("Timestamp Format", "dd.MM.yyyy HH:mm").set("Date Format", "yyyyMMdd")
                .set("Time Zone", "Asia/Seoul");
        sink.enqueue(row("id", "format 1", "at", "02.03.2026 21:00", "date", "20260302"),
                row("id", "format 2", "at", "31.02.2026 21:00"), row("id", "format 3", "date", "20260230"),
                row("id", "format 4", "at", "2026-03-02T12:00:00Z"), row("id", "format 5", "at", "2026-03-02 21:00:00"),
                row("id", "format 6", "date", "2026-03-02")).trigger();

        assertThat(table.column("at", "id")).containsEntry("format 1", micros("2026-03-02T12:00:00Z"))
                .as("a text with an offset can mean one moment only").containsEntry("format 4", micros("2026-03-02T12:00:00Z"));
        assertThat(table.column("date", "id")).containsEntry("format 1", LocalDate.of(2026, 3, 2));
        final MockFlowFile failed = sink.failure().get(0);
        assertThat(Sink.rejects(failed)).extracting(reject -> reject.get("row_index")).containsExactly(2, 3, 5, 6);
        assertThat(Sink.rejects(failed)).extracting(reject -> (String) reject.get("error_message")).satisfiesExactly(
                message -> assertThat(message).contains("does not fit Timestamp Format"),
                message -> assertThat(message).contains("does not fit Date Format"),
                message -> assertThat(message).contains("does not fit Timestamp Format"),
                message -> assertThat(message).contains("does not fit Date Format"));
        sink.stop();
    }

    @Test
    void numbersAreMicrosecondsOnRequest() {
        final Sink sink = new Sink(kudu, table.name()).set("Timestamp Numbers", "Epoch Microseconds")
                .enqueue(row("id", "micros", "at", micros(NOON)), row("id", "half", "at", 1.5)).trigger();

        assertThat(table.column("at", "id")).containsEntry("micros", micros(NOON)).doesNotContainKey("half");
        sink.stop();
    }

    @Test
    void timesInRejectsFitTheFormatsOfTheProcessor() {
        final TimeRules rules = new TimeRules(ZoneId.of("Asia/Seoul"), true, "yyyy-MM-dd'T'HH:mm:ss'Z'", "dd/MM/yyyy");

        assertThat(rules.text(Timestamp.from(Instant.parse("2026-03-02T12:00:00Z")))).isEqualTo("2026-03-02T21:00:00Z");
        assertThat(rules.text(Date.valueOf("2026-03-02"))).isEqualTo("02/03/2026");
        assertThat(rules.text(Timestamp.from(Instant.parse(NOON)))).as("the format would cut it").isEqualTo(NOON);
    }
}
