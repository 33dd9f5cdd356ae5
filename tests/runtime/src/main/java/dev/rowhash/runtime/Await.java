package dev.rowhash.runtime;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for a condition, never for a time: it ends as soon as the condition holds or the deadline passes. */
public final class Await {
    private static final Duration PAUSE = Duration.ofMillis(100);

    private Await() {
    }

    public static void until(final String what, final Duration deadline, final BooleanSupplier condition) {
        until(what, deadline, condition, () -> "");
    }

    /** {@code state} tells, when the deadline has passed, how far it came. */
    public static void until(final String what, final Duration deadline, final BooleanSupplier condition,
            final Supplier<String> state) {
        final long end = System.nanoTime() + deadline.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new RuntimeFailure("Waited " + deadline.toSeconds() + " s in vain for: " + what + suffix(state.get()));
            }
            pause();
        }
    }

    private static String suffix(final String state) {
        return state.isEmpty() ? "" : "; " + state;
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE.toMillis());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RuntimeFailure("Interrupted while waiting", e);
        }
    }
}
