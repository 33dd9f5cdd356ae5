package dev.rowhash.nifi.kudu;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.nifi.components.PropertyDescriptor;
import org.apache.nifi.processor.Relationship;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What can be configured, and what cannot. */
class ValidationTest {

    private final Sink sink = new Sink("127.0.0.1:1", "table");

    @Test
    void isValidWithWhatItNeeds() {
        sink.runner().assertValid();
    }

    @Test
    void aPropertyThatItNeedsMayNotBeMissing() {
        for (final PropertyDescriptor needed : new PropertyDescriptor[] {UpsertKudu.KUDU_MASTERS, UpsertKudu.TABLE_NAME,
                UpsertKudu.RECORD_READER}) {
            final Sink without = new Sink("127.0.0.1:1", "table");
            without.runner().removeProperty(needed);
            without.runner().assertNotValid();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
            "Kudu Masters; kudu-1,kudu-2:7051", "Kudu Masters; [::1]:7051", "Kudu Masters; 10.0.0.1:7051, 10.0.0.2:7051",
            "Table Name; impala::bronze.${table}", "Kudu Operation Type; upsert_x${operation}", "Kudu Operation Type; DELETE",
            "Operation RecordPath; /op", "Data RecordPath; /after", "Timestamp Format; yyyy-MM-dd HH:mm:ss[.SSS]",
            "Time Zone; Asia/Seoul", "Time Zone; +09:00", "Max Bytes per Batch; 32 MB", "Max Records per Batch; 100000",
            "Kudu Operation Timeout; 500 ms", "Ignore NULL; true", "Unknown Fields; Ignore"})
    void isValid(final String property, final String value) {
        sink.set(property, value).runner().assertValid();
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
            "Kudu Masters; kudu-1:port", "Kudu Masters; kudu-1,", "Kudu Masters; kudu-1:0", "Kudu Masters; kudu 1",
            "Kudu Operation Type; MERGE", "Operation RecordPath; op(", "Data RecordPath; '[['", "Timestamp Format; yyyy-bb",
            "Date Format; nn{", "Time Zone; Seoul", "Time Zone; KST", "Max Bytes per Batch; 64 MB", "Max Bytes per Batch; much",
            "Max Records per Batch; 0", "FlowFiles per Batch; 100001", "Kudu Operation Timeout; soon",
            "Kudu Operation Timeout; 1 hour", "Ignore NULL; maybe", "Unknown Fields; Drop", "Lowercase Field Names; 1"})
    void isNotValid(final String property, final String value) {
        sink.set(property, value).runner().assertNotValid();
    }

    @ParameterizedTest
    @ValueSource(strings = {"UPSERT", "false", "Route to Failure", "Epoch Milliseconds", "UTC", "1000", "8 MB", "30 sec", "kudu"})
    void theDefaultsAreTheSafeOnes(final String value) {
        assertThat(new UpsertKudu().getPropertyDescriptors()).extracting(PropertyDescriptor::getDefaultValue).contains(value);
    }

    @Test
    void namesAreThoseThatSavedFlowsHold() {
        assertThat(new UpsertKudu().getPropertyDescriptors()).extracting(PropertyDescriptor::getName).containsExactly(
                "Kudu Masters", "Table Name", "Record Reader", "Kudu Operation Type", "Operation RecordPath", "Data RecordPath",
                "Lowercase Field Names", "Unknown Fields", "Ignore NULL", "Timestamp Numbers", "Timestamp Format", "Date Format",
                "Time Zone", "FlowFiles per Batch", "Max Records per Batch", "Max Bytes per Batch", "Kudu Operation Timeout",
                "Kerberos User Service", "Kudu SASL Protocol Name");
        assertThat(new UpsertKudu().getPropertyDescriptors()).allSatisfy(descriptor ->
                assertThat(descriptor.getDisplayName()).isEqualTo(descriptor.getName()));
        assertThat(new UpsertKudu().getRelationships()).extracting(Relationship::getName)
                .containsExactly("success", "failure", "retry");
    }
}
