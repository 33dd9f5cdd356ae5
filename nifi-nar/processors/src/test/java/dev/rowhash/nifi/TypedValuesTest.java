package dev.rowhash.nifi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rowhash.nifi.RecordServices.KeepingWriter;
import dev.rowhash.nifi.RecordServices.ListReader;
import dev.rowhash.nifi.jni.ForkedJvm;
import dev.rowhash.nifi.jni.Md5;
import dev.rowhash.nifi.jni.Vectors;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.UUID;
import org.apache.nifi.serialization.record.Record;
import org.apache.nifi.serialization.record.RecordFieldType;
import org.apache.nifi.serialization.record.RecordSchema;
import org.apache.nifi.util.MockFlowFile;
import org.apache.nifi.util.TestRunner;
import org.apache.nifi.util.TestRunners;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each golden typed value, as each Java class that a record can hold it in, has the hash of its text. */
class TypedValuesTest {

    private static final RecordSchema SCHEMA = RecordServices.schema("v", RecordFieldType.STRING);

    /** A value and its text; null for one that is refused. */
    private record Typed(Object value, String text) {
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTC", "Asia/Seoul", "America/St_Johns"})
    void theTextDoesNotDependOnTheZoneOfTheJvm(final String zone) throws Exception {
        final ForkedJvm.Result result = ForkedJvm.run(List.of("-Duser.timezone=" + zone, "-Duser.language=ar",
                "-Dfile.encoding=ISO-8859-1"), Main.class, zone);
        assertThat(result.exitCode()).as(result.output()).isZero();
    }

    static final class Main {
        public static void main(final String[] arguments) throws IOException {
            assertThat(TimeZone.getDefault()).isEqualTo(TimeZone.getTimeZone(arguments[0]));
            final List<Typed> values = golden();
            assertThat(values.size()).isGreaterThan(300);
            assertHashed(values);
            // A local time is the one that it is in this zone.
            final LocalDateTime local = LocalDateTime.of(2026, 2, 25, 14, 30, 0, 123_000_000);
            final LocalDateTime utc = LocalDateTime.ofInstant(local.atZone(ZoneId.systemDefault()).toInstant(), ZoneOffset.UTC);
            final String text = utc.toLocalDate() + " " + utc.toLocalTime();
            assertHashed(List.of(new Typed(local, text), new Typed(Timestamp.valueOf(local), text)));
        }
    }

    @Test
    void otherClassesAreTextsOrRefused() {
        final UUID uuid = UUID.randomUUID();
        assertHashed(List.of(new Typed(uuid, uuid.toString()), new Typed('각', "각"), new Typed(RecordFieldType.BIGINT, "BIGINT"),
                new Typed(new StringBuilder("x"), "x"), new Typed(new byte[] {1}, null), new Typed(new Object[0], null),
                new Typed(List.of(), null), new Typed(new int[1], null), new Typed(new java.util.Date(1), "1970-01-01 00:00:00.001"),
                new Typed(Float.NaN, null), new Typed(Double.NEGATIVE_INFINITY, null), new Typed(LocalDate.MAX, null),
                new Typed(LocalDate.MIN, null), new Typed(Instant.MAX, null), new Typed(new Object(), null)));
    }

    @Test
    void aClassThatHasNoTextIsNamed() {
        assertThat(run(List.of(new Typed(new Object(), null))).failure())
                .contains("column 'v': values of the class java.lang.Object cannot be hashed");
    }

    /** Reject lines hold the texts, so that a line has the hash of its record where JSON is read as text. */
    @Test
    void aRejectHoldsTimesAsTheirTexts() {
        final RecordSchema schema = RecordServices.schema("v", RecordFieldType.ARRAY, "d", RecordFieldType.DATE,
                "t", RecordFieldType.TIME, "s", RecordFieldType.TIMESTAMP, "i", RecordFieldType.TIMESTAMP);
        final Record record = RecordServices.record(schema, Map.of("v", new Object[] {Date.valueOf("2026-02-25")},
                "d", Date.valueOf("2026-02-25"), "t", Time.valueOf("14:30:00"),
                "s", Timestamp.from(Instant.parse("2026-02-25T05:30:00.120Z")), "i", Instant.parse("2026-02-25T05:30:00Z")));
        assertThat(RecordJson.of(record)).isEqualTo("{\"v\":[\"2026-02-25\"],\"d\":\"2026-02-25\",\"t\":\"14:30:00\","
                + "\"s\":\"2026-02-25 05:30:00.12\",\"i\":\"2026-02-25 05:30:00\"}");
    }

    private static List<Typed> golden() throws IOException {
        final List<Typed> values = new ArrayList<>();
        for (final JsonNode node : new ObjectMapper().readTree(
                Path.of(Vectors.required("rowhash.vectors.directory"), "typed_values.json").toFile())) {
            final String text = node.path("error").asBoolean() ? null : node.path("text").asText();
            for (final Object value : javaValues(node.path("type").asText(), node.path("value"))) {
                values.add(new Typed(value, text));
            }
        }
        return values;
    }

    private static List<Object> javaValues(final String type, final JsonNode value) {
        final List<Object> values = new ArrayList<>();
        switch (type) {
            case "string" -> values.add(value.asText());
            case "integer" -> integers(new BigInteger(value.asText()), values);
            case "decimal", "json_number" -> {
                try {
                    values.add(new BigDecimal(value.asText()));
                } catch (final NumberFormatException e) {
                    assertThat(value.asText()).as("a number that Java cannot hold").matches(".*[eE].{8,}|.*[^-+.eE0-9].*|");
                }
            }
            case "double" -> values.add(Double.valueOf(value.asText()));
            case "float" -> values.add(Float.valueOf(value.asText()));
            case "boolean" -> values.add(value.asBoolean());
            case "date" -> dates(LocalDate.ofEpochDay(value.path("days").asLong()), values);
            case "time" -> times(value.path("nanos").asLong(), values);
            case "timestamp" -> {
                final Instant instant = Instant.ofEpochSecond(value.path("seconds").asLong(), value.path("nanos").asLong());
                values.addAll(List.of(instant, Timestamp.from(instant), instant.atOffset(ZoneOffset.ofHours(-7)),
                        instant.atZone(ZoneId.of("Asia/Seoul"))));
            }
            case "array" -> values.addAll(List.of(new Object[] {1}, List.of(1)));
            case "map" -> values.add(Map.of("x", 1));
            case "record" -> values.add(RecordServices.record(SCHEMA, Map.of("v", "x")));
            default -> throw new AssertionError("a type that this test does not know: " + type);
        }
        return values;
    }

    private static void integers(final BigInteger number, final List<Object> values) {
        values.add(number);
        if (number.bitLength() < Long.SIZE) {
            values.add(number.longValueExact());
        }
        if (number.bitLength() < Integer.SIZE) {
            values.add(number.intValueExact());
        }
        if (number.bitLength() < Short.SIZE) {
            values.add(number.shortValueExact());
        }
        if (number.bitLength() < Byte.SIZE) {
            values.add(number.byteValueExact());
        }
    }

    private static void dates(final LocalDate date, final List<Object> values) {
        values.add(date);
        // java.sql.Date cannot denote the days that the Gregorian reform left out, or years before 1.
        if (date.getYear() >= 1 && Date.valueOf(date).toLocalDate().equals(date)) {
            values.add(Date.valueOf(date));
        }
    }

    private static void times(final long nanos, final List<Object> values) {
        final LocalTime time;
        try {
            time = LocalTime.ofNanoOfDay(nanos);
        } catch (final DateTimeException e) {
            return; // no Java class can hold it
        }
        values.add(time);
        if (nanos % 1_000_000 == 0) {
            values.add(new Time(LocalDate.EPOCH.atTime(time).atZone(ZoneId.systemDefault()).toInstant().toEpochMilli()));
        }
    }

    private static void assertHashed(final List<Typed> values) {
        final Result result = run(values);
        final List<String> wrong = new ArrayList<>();
        int hashed = 0;
        for (int i = 0; i < values.size(); i++) {
            final Typed typed = values.get(i);
            final boolean refused = result.failure().contains("{\"row_index\":" + (i + 1) + ",");
            final String hash = refused ? null : result.hashes().get(hashed++);
            final String expected = typed.text() == null ? null : Md5.of(typed.text().isEmpty() ? "\\N" : typed.text());
            if (refused != (expected == null) || !refused && !hash.equals(expected)) {
                wrong.add(typed + " " + typed.value().getClass() + (refused ? " is refused" : " has " + hash));
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(result.hashes()).hasSize(hashed);
    }

    private record Result(List<String> hashes, String failure) {
    }

    private static Result run(final List<Typed> values) {
        final KeepingWriter writer = new KeepingWriter();
        final TestRunner runner = TestRunners.newTestRunner(new ComputeRowHash());
        RecordServices.use(runner, new ListReader(SCHEMA,
                values.stream().map(typed -> RecordServices.record(SCHEMA, Map.of("v", typed.value()))).toList()), writer);
        runner.setProperty("Row Source", "Records");
        runner.setProperty("Columns", "v");
        runner.setProperty("Rows Without Values", "Allow");
        runner.enqueue("content");
        runner.run();
        final List<MockFlowFile> failure = runner.getFlowFilesForRelationship("failure");
        return new Result(writer.records.stream().map(record -> record.getAsString("row_hash")).toList(),
                failure.isEmpty() ? "" : failure.get(0).getContent());
    }
}
