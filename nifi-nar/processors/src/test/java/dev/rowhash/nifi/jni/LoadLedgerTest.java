package dev.rowhash.nifi.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoadLedgerTest {

    private static final long NOW = 1_772_029_800_000L;
    private static final Map<String, String> ITEM = Map.of("src_type", "NAS", "regn", "R01", "db_name", "bronze",
            "table_name", "t", "base_dts", "20260225143000", "fragment.identifier", "u", "fragment.index", "1",
            "fragment.count", "1");

    private final LoadLedger ledger = new LoadLedger(Duration.ofSeconds(5), Duration.ofHours(1), Duration.ofMinutes(10), false);

    @Test
    void anEventGoesInAndTheRecordsAndTheNewStateComeOut() {
        final LoadStep step = step(List.of(), ITEM);
        assertThat(step.masters()).containsOnlyKeys(1);
        assertThat(step.masters().get(1)).startsWith("{\"src_type\":\"NAS\"").endsWith("}\n").contains("\"RUNNING\"");
        assertThat(step.details()).isEmpty();
        assertThat(step.refused()).isEmpty();
        assertThat(step.state()).hasSize(1);
        assertThat(step.confirmations()).isNotEmpty();
    }

    @Test
    void theSameEventAgainGivesTheSameRecordsUntilTheyAreConfirmed() {
        final LoadStep first = step(List.of(), ITEM);
        final LoadStep second = step(first.state(), ITEM);
        assertThat(second.masters()).isEqualTo(first.masters());
        assertThat(second.state()).isEqualTo(first.state());

        final List<String> confirmed = ledger.confirm(first.state(), first.confirmations(), NOW);
        assertThat(step(confirmed, ITEM).masters()).isEmpty();
    }

    @Test
    void textsCrossTheBorderWhole() {
        final String rare = "a\0b\uD83D\uDE00각\t\n\"";
        final Map<String, String> failed = new HashMap<>(ITEM);
        failed.putAll(Map.of("regn", rare, "error_processor", "p", "error_message", rare));
        assertThat(step(List.of(), failed).details()).contains("\"regn\":\"a\\u0000b\uD83D\uDE00각\\t\\n\\\"\"");
        assertThat(step(List.of(), failed).details().chars().filter(c -> c == '\n').count()).isEqualTo(1);
    }

    @Test
    void anEventThatIsNoneIsRefusedByItsPlace() {
        final LoadEvents events = ledger.events();
        events.add(ITEM::get);
        events.add(field -> field.equals("src_type") ? "F\tT\nP" : ITEM.get(field));
        events.add(field -> null);
        final LoadStep step = ledger.step(List.of(), events, NOW);

        assertThat(events.size()).isEqualTo(3);
        assertThat(step.refused()).containsOnlyKeys(1, 2);
        assertThat(step.refused().get(1)).startsWith("src_type is 'F T P'");
        assertThat(step.masters()).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "AAAA", "\u0000", "각"})
    void aStateThatIsNoneIsAnException(final String state) {
        assertThatThrownBy(() -> step(List.of(state), ITEM)).isInstanceOf(IllegalStateException.class)
                .message().contains("state");
        assertThatThrownBy(() -> ledger.confirm(List.of(state), "[]", NOW)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void argumentsThatContradictEachOtherAreRefused() {
        final int fields = Bindings.eventFields().length;
        final long[] rules = {0, 0, 0, 0};
        final String[] none = {};
        for (final long[] wrong : List.of(new long[0], new long[3], new long[5])) {
            assertRefused(() -> Bindings.ledgerStep(none, new char[0], new int[0], 0, NOW, wrong));
            assertRefused(() -> Bindings.ledgerConfirm(none, "[]", NOW, wrong));
        }
        assertRefused(() -> Bindings.ledgerStep(none, new char[0], new int[fields], -1, NOW, rules));
        assertRefused(() -> Bindings.ledgerStep(none, new char[0], new int[fields - 1], 1, NOW, rules));
        assertRefused(() -> Bindings.ledgerStep(none, new char[0], filled(fields, 1), 1, NOW, rules));
        assertRefused(() -> Bindings.ledgerStep(none, new char[9], filled(fields, -1), 1, NOW, rules));
        assertRefused(() -> Bindings.replay(new char[0], new int[0], -1, 3, NOW));
        assertRefused(() -> Bindings.replay(new char[0], new int[1], 1, 3, NOW));
        assertRefused(() -> Bindings.ledgerStep(null, new char[0], new int[0], 0, NOW, rules));
        assertRefused(() -> Bindings.ledgerStep(new String[] {null}, new char[0], new int[0], 0, NOW, rules));
        assertRefused(() -> Bindings.ledgerStep(none, null, new int[0], 0, NOW, rules));
        assertRefused(() -> Bindings.ledgerStep(none, new char[0], null, 0, NOW, rules));
        assertRefused(() -> Bindings.ledgerStep(none, new char[0], new int[0], 0, NOW, null));
        assertRefused(() -> Bindings.ledgerConfirm(none, null, NOW, rules));
        assertRefused(() -> Bindings.ledgerConfirm(none, "no JSON", NOW, rules));
        assertRefused(() -> Bindings.replay(null, null, 1, 3, NOW));
    }

    @Test
    void eachRecordHasItsDecision() {
        final ReplayDecisions decisions = new ReplayDecisions();
        final Map<String, String> record = Map.of("src_type", "NAS", "regn", "R01", "db_name", "bronze", "table_name", "t",
                "base_dts", "20260225143000", "detail_seq", "4", "line_content", "a line");
        decisions.add(record::get);
        decisions.add(column -> column.equals("regn") ? null : record.get(column));
        final List<ReplayDecision> decided = decisions.decide(3, NOW);

        assertThat(decided).hasSize(2);
        assertThat(decided.get(0).relationship()).isEqualTo("line");
        assertThat(decided.get(0).failure()).isEmpty();
        assertThat(decided.get(0).retryCount()).isEqualTo("1");
        assertThat(decided.get(0).claim().orElseThrow()).contains("\"detail_seq\":4", "RUNNING");
        assertThat(decided.get(1).failure()).contains("regn is empty: each batch needs all five key columns");
    }

    private LoadStep step(final List<String> state, final Map<String, String> fields) {
        final LoadEvents events = ledger.events();
        events.add(fields::get);
        return ledger.step(state, events, NOW);
    }

    private static int[] filled(final int length, final int value) {
        final int[] lengths = new int[length];
        Arrays.fill(lengths, value);
        return lengths;
    }

    private static void assertRefused(final Runnable call) {
        assertThatThrownBy(call::run).isInstanceOf(RuntimeException.class).message().isNotBlank();
    }
}
