package dev.rowhash.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class SampleLogTest {
    private static final long SEED = 1;
    private static final List<NasCall> CALLS = SampleLog.calls(SEED, 1000);

    @Test
    void theSameSeedGivesTheSameLog() {
        assertThat(SampleLog.calls(SEED, 1000)).isEqualTo(CALLS);
        assertThat(SampleLog.calls(SEED + 1, 1000)).isNotEqualTo(CALLS);
    }

    @Test
    void aLongerLogBeginsWithTheShorterOne() {
        assertThat(SampleLog.calls(SEED, 1200)).startsWith(CALLS.toArray(NasCall[]::new));
    }

    @Test
    void everyValueFitsOnOneLine() {
        assertThat(CALLS).allSatisfy(call -> assertThat(call.values()).noneMatch(value -> value.matches("(?s).*[\t\r\n\0].*")));
    }

    @Test
    void theLogHoldsWhatHashesGetWrong() {
        final List<NasCall> distinct = List.copyOf(new LinkedHashSet<>(CALLS));
        assertThat(distinct).as("some lines stand there twice").hasSize(CALLS.size() - 10);
        assertThat(distinct.stream().map(call -> call.values().subList(0, 5)).collect(Collectors.toSet()))
                .as("the natural key does not tell all calls apart").hasSizeLessThan(distinct.size());
        for (final String text : List.of("각", "\u1100\u1161\u11a8", "😀", "a|b", "\\N", "c:\\temp", "\"인용\"")) {
            assertThat(distinct).as(text).anyMatch(call -> call.value("input").contains(text));
        }
        assertThat(distinct).as("an empty key column").anyMatch(call -> call.value("clickid").isEmpty());
        assertThat(distinct).as("longer than ExtractText's default").anyMatch(call -> call.value("input").length() > 1024);
        assertThat(distinct).as("blanks at the ends").anyMatch(call -> call.value("input").matches(" .* "));
    }
}
