package io.penstock.server.metrics;

import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** A histogram of decision times. Thread-safe. */
public final class LatencyHistogram {
  private static final double NANOS_PER_MICRO = 1e3;

  /** The upper bounds of the buckets; a further bucket counts everything above them. */
  private static final long[] BOUND_NANOS = {
    1_000,
    2_500,
    5_000,
    10_000,
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    25_000_000,
    50_000_000,
    100_000_000,
    500_000_000,
  };

  private final LongAdder[] counts = new LongAdder[BOUND_NANOS.length + 1];

  public LatencyHistogram() {
    Arrays.setAll(counts, bucket -> new LongAdder());
  }

  /** Counts a decision that took this long. */
  public void record(long nanos) {
    int bucket = 0;
    while (bucket < BOUND_NANOS.length && nanos > BOUND_NANOS[bucket]) {
      bucket++;
    }
    counts[bucket].increment();
  }

  /** Returns the number of decisions in each bucket since the start. */
  public long[] counts() {
    long[] sums = new long[counts.length];
    for (int bucket = 0; bucket < sums.length; bucket++) {
      sums[bucket] = counts[bucket].sum();
    }
    return sums;
  }

  /** Returns the upper bound of each bucket in nanoseconds; that of the last one is infinite. */
  static double[] bounds() {
    double[] bounds = new double[BOUND_NANOS.length + 1];
    Arrays.setAll(
        bounds,
        bucket -> bucket < BOUND_NANOS.length ? BOUND_NANOS[bucket] : Double.POSITIVE_INFINITY);
    return bounds;
  }

  /**
   * Returns the percentiles of the decisions between two results of {@link #counts()}, interpolated
   * within buckets; null if there were none.
   */
  public static @Nullable LatencyPercentiles percentiles(long[] before, long[] after) {
    long[] counts = new long[after.length];
    Arrays.setAll(counts, bucket -> Math.max(0, after[bucket] - before[bucket]));
    long total = Arrays.stream(counts).sum();
    return total == 0
        ? null
        : new LatencyPercentiles(micros(counts, 0.5 * total), micros(counts, 0.99 * total));
  }

  /** Returns the time that {@code rank} decisions did not exceed. */
  private static double micros(long[] counts, double rank) {
    double below = 0;
    for (int bucket = 0; bucket < BOUND_NANOS.length; bucket++) {
      if (below + counts[bucket] >= rank && counts[bucket] > 0) {
        double lower = bucket == 0 ? 0 : BOUND_NANOS[bucket - 1];
        double share = Math.max(0, rank - below) / counts[bucket];
        return (lower + share * (BOUND_NANOS[bucket] - lower)) / NANOS_PER_MICRO;
      }
      below += counts[bucket];
    }
    return BOUND_NANOS[BOUND_NANOS.length - 1] / NANOS_PER_MICRO;
  }
}
