package io.penstock.redis;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Lets other threads run before a caller parks. Thread-safe.
 *
 * <p>If there are more callers than cores, a caller that yields often has its response when it is
 * scheduled again. That saves parking and unparking it, which costs more than the rest of a
 * decision. But if other work keeps the cores busy, the caller is scheduled late. Callers stop
 * yielding then, except for an occasional one that checks whether this has changed.
 */
final class YieldBeforeParking {
  /** Long enough for some hundred callers to be scheduled. */
  private static final long LATE_NANOS = 2_000_000;

  private static final long PAUSE_NANOS = 100_000_000;

  /** A late yield counts as this many in-time ones; yielding stops after several late yields. */
  private static final int LATE_PENALTY = 8;

  private static final int MAX_LATENESS = 8 * LATE_PENALTY;

  private final LongSupplier nanos;
  private final Runnable others;
  private final AtomicInteger lateness = new AtomicInteger();
  private final AtomicLong lastLateNanos;
  private final AtomicLong nextTrialNanos;

  YieldBeforeParking() {
    this(System::nanoTime, YieldBeforeParking::yieldToOthers);
  }

  /**
   * @param others lets other threads run
   */
  YieldBeforeParking(LongSupplier nanos, Runnable others) {
    this.nanos = nanos;
    this.others = others;
    this.lastLateNanos = new AtomicLong(nanos.getAsLong());
    this.nextTrialNanos = new AtomicLong(nanos.getAsLong());
  }

  @SuppressWarnings("ThreadPriorityCheck") // only the speed depends on the scheduler
  private static void yieldToOthers() {
    Thread.yield();
  }

  /** Yields, unless recent yields took too long. */
  void yieldIfUseful() {
    long before = nanos.getAsLong();
    int current = lateness.get();
    if (current >= MAX_LATENESS && !tryStartTrial(before)) {
      return;
    }
    others.run();
    long after = nanos.getAsLong();
    if (after - before < LATE_NANOS) {
      if (current > 0) {
        lateness.compareAndSet(current, current - 1);
      }
    } else {
      late(before, after);
    }
  }

  private boolean tryStartTrial(long now) {
    long next = nextTrialNanos.get();
    return now - next >= 0 && nextTrialNanos.compareAndSet(next, now + PAUSE_NANOS);
  }

  private void late(long before, long after) {
    long last = lastLateNanos.get();
    // Callers that were delayed at the same time, for example by a garbage collection, count once.
    if (before - last >= 0 && lastLateNanos.compareAndSet(last, after)) {
      nextTrialNanos.set(after + PAUSE_NANOS);
      lateness.updateAndGet(now -> Math.min(now + LATE_PENALTY, MAX_LATENESS));
    }
  }
}
