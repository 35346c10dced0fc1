package io.penstock.redis;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Measures how late the timer of this process runs while Redis is in use, to distinguish a slow
 * server from a process that lacks CPU time: then replies that have arrived are read late, too.
 * Pauses of the JVM, for example for garbage collection, have the same effect. Thread-safe.
 */
final class CpuLag {
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** An idle machine is late by a fraction of a millisecond. */
  private static final long MIN_LAG_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** Ticks end after this many without a call to {@link #watch}, one second. */
  private static final int MAX_IDLE_TICKS = 100;

  /** The number of late ticks that are kept; with the ticks in time, more than a second. */
  private static final int LATE_TICKS = 128;

  /**
   * A silence is explained by a lag of at least this part of it. The timer is only one of several
   * threads that have to run before a reply is processed, so they have lost more time together.
   */
  private static final int EXPLAINING_PART = 3;

  private final ScheduledExecutorService timer;
  private final LongSupplier clock;
  private volatile boolean used;

  /** Whether a tick is scheduled. */
  private volatile boolean ticking;

  /** When the next tick is due, if one is scheduled. Guarded by this, like the following fields. */
  private long dueNanos;

  private int idleTicks;
  private final long[] lateNanos = new long[LATE_TICKS];
  private final long[] lags = new long[LATE_TICKS];
  private int lateCount;

  /**
   * @param timer a single thread, which silently discards tasks after its shutdown
   */
  CpuLag(ScheduledExecutorService timer) {
    this(timer, System::nanoTime);
  }

  CpuLag(ScheduledExecutorService timer, LongSupplier clock) {
    this.timer = timer;
    this.clock = clock;
  }

  /** Called before each call to Redis. */
  void watch() {
    if (!used) {
      used = true;
    }
    if (!ticking) {
      start();
    }
  }

  private synchronized void start() {
    if (!ticking) {
      ticking = true;
      idleTicks = 0;
      schedule();
    }
  }

  private void schedule() {
    dueNanos = clock.getAsLong() + TICK_NANOS;
    var unused = timer.schedule(this::tick, TICK_NANOS, TimeUnit.NANOSECONDS);
  }

  private synchronized void tick() {
    long now = clock.getAsLong();
    long lag = now - dueNanos;
    if (lag >= MIN_LAG_NANOS) {
      lateNanos[lateCount % LATE_TICKS] = now;
      lags[lateCount % LATE_TICKS] = lag;
      lateCount++;
    }
    idleTicks = used ? 0 : idleTicks + 1;
    used = false;
    if (idleTicks < MAX_IDLE_TICKS) {
      schedule();
    } else {
      ticking = false;
    }
  }

  /**
   * Returns whether this process lacked CPU time during so much of the time since {@code
   * sinceNanos} that it may have caused the silence of a server.
   */
  boolean explainsSilenceSince(long sinceNanos) {
    long silence = clock.getAsLong() - sinceNanos;
    return silence > 0 && since(sinceNanos) >= silence / EXPLAINING_PART;
  }

  /** The sum of the lags since {@code sinceNanos}, including that of a tick that is overdue. */
  synchronized long since(long sinceNanos) {
    long now = clock.getAsLong();
    long overdue = ticking ? Math.min(now - dueNanos, now - sinceNanos) : 0;
    long sum = overdue >= MIN_LAG_NANOS ? overdue : 0;
    for (int i = 0; i < Math.min(lateCount, LATE_TICKS); i++) {
      sum += Math.max(0, Math.min(lags[i], lateNanos[i] - sinceNanos));
    }
    return sum;
  }
}
