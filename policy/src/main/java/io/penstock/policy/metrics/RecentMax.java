package io.penstock.policy.metrics;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The largest share that was seen in the last minute, within a third. Thread-safe.
 *
 * <p>Time is told to it, so that a share costs no look at the clock, and one that is not the
 * largest yet costs a comparison.
 */
final class RecentMax {
  /** How often {@link #pass} is to be called. */
  static final long PERIOD_MILLIS = 20_000;

  private static final int PERIODS = 4;

  /** Shares as bits: those of numbers that are not negative stand in the order of the numbers. */
  private final AtomicLong[] most = new AtomicLong[PERIODS];

  private volatile AtomicLong current;
  private int at;

  RecentMax() {
    for (int i = 0; i < PERIODS; i++) {
      most[i] = new AtomicLong();
    }
    current = most[0];
  }

  /** A share was seen. */
  void saw(double share) {
    long bits = Double.doubleToRawLongBits(Math.max(0, share));
    AtomicLong now = current;
    if (bits > now.get()) {
      now.accumulateAndGet(bits, Math::max);
    }
  }

  double most() {
    long bits = 0;
    for (AtomicLong period : most) {
      bits = Math.max(bits, period.get());
    }
    return Double.longBitsToDouble(bits);
  }

  /** A period has passed. */
  synchronized void pass() {
    at = (at + 1) % PERIODS;
    most[at].set(0);
    current = most[at];
  }
}
