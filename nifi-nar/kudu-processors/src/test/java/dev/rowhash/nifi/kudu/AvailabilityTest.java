package dev.rowhash.nifi.kudu;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AvailabilityTest {

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1);
    private final Availability availability = new Availability(now::get);
    private boolean probes;

    @Test
    void whileKuduIsThereAllTry() {
        assertThat(availability.begin()).isTrue();
        assertThat(availability.begin()).isTrue();
    }

    @Test
    void whileItIsAwayOneTries() {
        availability.lost();
        assertThat(availability.begin()).isTrue();
        assertThat(availability.begin()).isFalse();
        availability.end();
        assertThat(availability.begin()).isTrue();
        availability.found();
        assertThat(availability.begin()).isTrue();
    }

    @Test
    void aThreadThatBeganBeforeKuduWasLostDoesNotEndTheProbeOfAnother() throws InterruptedException {
        assertThat(availability.begin()).isTrue();
        final Thread other = new Thread(() -> {
            availability.lost();
            probes = availability.begin();
        });
        other.start();
        other.join();

        availability.end();

        assertThat(probes).as("the other thread finds out whether Kudu is back").isTrue();
        assertThat(availability.begin()).as("the one thread does too").isFalse();
    }

    @Test
    void isToldOnceAndThenOnceAMinute() {
        assertThat(availability.lost()).isTrue();
        assertThat(availability.lost()).isFalse();
        now.addAndGet(Duration.ofSeconds(61).toNanos());
        assertThat(availability.lost()).isTrue();
        assertThat(availability.lost()).isFalse();
        assertThat(availability.found()).isTrue();
        assertThat(availability.found()).isFalse();
        assertThat(availability.lost()).isTrue();
    }
}
