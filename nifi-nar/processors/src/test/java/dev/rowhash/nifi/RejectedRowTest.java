package dev.rowhash.nifi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RejectedRowTest {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    @Test
    void readsEachKindOfValue() {
        final RejectedRow row = RejectedRow.parse(" { \"row_index\" : 12 , \"error_message\":\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\ud83d\\uDE00각\","
                + "\"line_content\":null,\"x\":-1.5e+3,\"y\":true}\r");

        assertThat(row.get("row_index")).isEqualTo("12");
        assertThat(row.get("error_message")).isEqualTo("a\"\\/\b\f\n\r\t\0\uD83D\uDE00각");
        assertThat(row.get("line_content")).isNull();
        assertThat(row.get("x")).isEqualTo("-1.5e+3");
        assertThat(row.get("y")).isEqualTo("true");
        assertThat(row.get("absent")).isNull();
    }

    @Test
    void readsWhateverAnotherProgramWrites() throws Exception {
        final Random random = new Random(4);
        for (int i = 0; i < 2000; i++) {
            final String message = random.ints(random.nextInt(30), 0, 0x2000).collect(StringBuilder::new,
                    StringBuilder::appendCodePoint, StringBuilder::append).toString();
            final Map<String, Object> values = new LinkedHashMap<>();
            values.put("row_index", random.nextInt());
            values.put("error_message", message);
            values.put("line_content", random.nextBoolean() ? message + message : null);

            final RejectedRow row = RejectedRow.parse(MAPPER.writeValueAsString(values));
            assertThat(row.get("row_index")).isEqualTo(values.get("row_index").toString());
            assertThat(row.get("error_message")).isEqualTo(message);
            assertThat(row.get("line_content")).isEqualTo(values.get("line_content"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "x", "[]", "{", "{}", "{\"row_index\":1}", "{\"error_message\":\"x\"}",
            "{\"row_index\":1,\"error_message\":\"x\"", "{\"row_index\":1,\"error_message\":\"x\"}}",
            "{\"row_index\":1,\"error_message\":\"x\",}", "{\"row_index\":1,\"error_message\":\"x}",
            "{\"row_index\":1,\"error_message\":\"\\x\"}", "{\"row_index\":1,\"error_message\":\"\\u12\"}",
            "{\"row_index\":1,\"error_message\":\"\\u12g4\"}", "{\"row_index\":[1],\"error_message\":\"x\"}",
            "{\"row_index\":one,\"error_message\":\"x\"}", "{\"row_index\" 1,\"error_message\":\"x\"}",
            "{row_index:1,\"error_message\":\"x\"}", "{\"row_index\":1,\"error_message\":\"\\"})
    void whatIsNoRejectIsRefused(final String line) {
        assertThatThrownBy(() -> RejectedRow.parse(line)).isInstanceOf(IllegalArgumentException.class)
                .message().isNotBlank();
    }
}
