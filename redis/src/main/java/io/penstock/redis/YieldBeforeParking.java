package io.penstock.redis;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Lets other threads run before a caller goes to sleep. Thread-safe.
 *
 * <p>Where callers outnumber cores, one that gives way has its answer when its turn comes again,
 * and nobody has to put it to sleep and to wake it up: that costs more than all the rest of a
 * decision. Where others keep the cores busy with work of their own, its turn comes late. Then
 * nobody gives way any more, but for one at times who finds out whether that has changed.
 */
final class YieldBeforeParking {
  /** Long enough for some hundred callers to have their turn. */
  private static final long LATE_NANOS = 2_000_000;

  private static final long PAUSE_NANOS = 100_000_000;

  /** Who is in time makes up for an eighth of somebody who is late; so often late is too often. */
  private static final int LATE = 8;

  private static final int TOO_LATE = 8 * LATE;

  private final LongSupplier nanos;
  private final Runnable others;
  private final AtomicInteger lateness = new AtomicInteger();
  private final AtomicLong lastLateNanos;
  private final AtomicLong nextTryNanos;

  YieldBeforeParking() {
    this(System::nanoTime, YieldBeforeParking::yieldToOthers);
  }

  /**
   * @param others runs them
   */
  YieldBeforeParking(LongSupplier nanos, Runnable others) {
    this.nanos = nanos;
    this.others = others;
    this.lastLateNanos = new AtomicLong(nanos.getAsLong());
    this.nextTryNanos = new AtomicLong(nanos.getAsLong());
  }

  @SuppressWarnings("ThreadPriorityCheck") // only speed depends on what the scheduler makes of it
  private static void yieldToOthers() {
    Thread.yield();
  }

  /** Lets others run, if this caller can expect to have its turn again soon. */
  void giveWay() {
    long before = nanos.getAsLong();
    int known = lateness.get();
    if (known >= TOO_LATE && !mayTry(before)) {
      return;
    }
    others.run();
    long after = nanos.getAsLong();
    if (after - before < LATE_NANOS) {
      if (known > 0) {
        lateness.compareAndSet(known, known - 1);
      }
    } else {
      late(before, after);
    }
  }

  private boolean mayTry(long now) {
    long next = nextTryNanos.get();
    return now - next >= 0 && nextTryNanos.compareAndSet(next, now + PAUSE_NANOS);
  }

  private void late(long before, long after) {
    long last = lastLateNanos.get();
    // Those who were held up at the same time, as by a collection of garbage, count once.
    if (before - last >= 0 && lastLateNanos.compareAndSet(last, after)) {
      nextTryNanos.set(after + PAUSE_NANOS);
      lateness.updateAndGet(now -> Math.min(now + LATE, TOO_LATE));
    }
  }
}
