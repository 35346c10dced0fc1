package io.penstock.policy.metrics;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The maximum over the last 60 to 80 seconds. Thread-safe.
 *
 * <p>The caller advances the periods, so recording a value doesn't read the clock. A value that is
 * not a new maximum costs one comparison.
 */
final class RecentMax {
  /** How often to call {@link #pass}. */
  static final long PERIOD_MILLIS = 20_000;

  private static final int PERIODS = 4;

  /** Values as raw bits. For non-negative numbers, their order is that of the numbers. */
  private final AtomicLong[] periods = new AtomicLong[PERIODS];

  private volatile AtomicLong current;
  private int index;

  RecentMax() {
    for (int i = 0; i < PERIODS; i++) {
      periods[i] = new AtomicLong();
    }
    current = periods[0];
  }

  /** Records a value. */
  void record(double share) {
    long bits = Double.doubleToRawLongBits(Math.max(0, share));
    AtomicLong now = current;
    if (bits > now.get()) {
      now.accumulateAndGet(bits, Math::max);
    }
  }

  double max() {
    long bits = 0;
    for (AtomicLong period : periods) {
      bits = Math.max(bits, period.get());
    }
    return Double.longBitsToDouble(bits);
  }

  /** Starts a new period. */
  synchronized void pass() {
    index = (index + 1) % PERIODS;
    periods[index].set(0);
    current = periods[index];
  }
}
