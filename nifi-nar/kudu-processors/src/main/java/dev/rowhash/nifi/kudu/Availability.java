package dev.rowhash.nifi.kudu;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * Whether Kudu was there when it was last needed. While it is away one thread at a time finds out whether it is back;
 * the others do not wait with it.
 */
final class Availability {

    private static final long REMINDER_NANOS = Duration.ofMinutes(1).toNanos();

    private final LongSupplier nanoTime;
    private final AtomicReference<Thread> prober = new AtomicReference<>();
    private volatile boolean away;
    private volatile long toldAt;

    Availability() {
        this(System::nanoTime);
    }

    Availability(final LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    boolean isAway() {
        return away;
    }

    /** Whether to try now; if so, {@link #end} must follow. */
    boolean begin() {
        return !away || prober.compareAndSet(null, Thread.currentThread());
    }

    /** Of a thread that began before Kudu was lost it says nothing: another one may be finding out by now. */
    void end() {
        prober.compareAndSet(Thread.currentThread(), null);
    }

    /** Gives whether it is time to tell: when it is news, and then once a minute. */
    boolean lost() {
        final long now = nanoTime.getAsLong();
        final boolean tell = !away || now - toldAt >= REMINDER_NANOS;
        away = true;
        if (tell) {
            toldAt = now;
        }
        return tell;
    }

    /** Gives whether it is news. */
    boolean found() {
        final boolean news = away;
        away = false;
        return news;
    }
}
