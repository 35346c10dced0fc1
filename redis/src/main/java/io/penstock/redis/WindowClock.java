package io.penstock.redis;

import io.penstock.NanoClock;

/**
 * The clock of the copies of windows: it follows the clock of the server, so that a copy ends at
 * the same time as its window in Redis. Thread-safe.
 *
 * <p>Between replies, it continues by the clock of this process. Before the first one, it is the
 * system clock.
 */
final class WindowClock implements NanoClock {
  /**
   * How far the clock may be ahead of the server before it is set back. A step back can extend a
   * window, so it should be rare although the two clocks drift apart.
   */
  private static final long TOLERANCE_NANOS = 10_000_000;

  private volatile long offsetNanos = System.currentTimeMillis() * 1_000_000 - System.nanoTime();

  /**
   * Called with the time in a reply.
   *
   * @param passedNanos time since the call was sent
   */
  void replied(long micros, long passedNanos) {
    long now = System.nanoTime();
    long server = micros * Ticks.NANOS;
    long ahead = now + offsetNanos - server;
    if (ahead < 0) {
      offsetNanos = server - now;
    } else if (ahead > passedNanos + TOLERANCE_NANOS) {
      offsetNanos = server + passedNanos - now;
    }
  }

  /** The time of the server in microseconds. */
  long micros() {
    return nanos() / Ticks.NANOS;
  }

  @Override
  public long nanos() {
    return System.nanoTime() + offsetNanos;
  }

  @Override
  public void sleep(long nanos) throws InterruptedException {
    NanoClock.system().sleep(nanos);
  }

  @Override
  public void schedule(long nanos, Runnable task) {
    NanoClock.system().schedule(nanos, task);
  }
}
