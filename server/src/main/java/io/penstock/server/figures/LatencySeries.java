package io.penstock.server.figures;

import io.penstock.server.metrics.LatencyHistogram;
import io.penstock.server.metrics.LatencyPercentiles;
import org.jspecify.annotations.Nullable;

/**
 * Percentiles of the decision time over time, with a relative error below 0.02 %. Not thread-safe.
 * It takes no memory before the first decision.
 */
final class LatencySeries {
  /** The time that has the smallest code, in microseconds. */
  private static final double MIN_MICROS = 1e-3;

  /** The codes for each factor of e; the largest code is more than a minute. */
  private static final double SCALE = 2_500;

  private static final char NOTHING = 0;

  private final int size;
  private char @Nullable [] p50;
  private char @Nullable [] p99;

  LatencySeries(Resolution resolution) {
    this.size = resolution.points() + 1;
  }

  /**
   * Sets a point to the percentiles of what was recorded between two histograms.
   *
   * @param before null to set it to nothing
   */
  void set(long position, long @Nullable [] before, long[] after) {
    LatencyPercentiles latency =
        before == null ? null : LatencyHistogram.percentiles(before, after);
    if (p50 == null || p99 == null) {
      if (latency == null) {
        return;
      }
      p50 = new char[size];
      p99 = new char[size];
    }
    int slot = slot(position);
    p50[slot] = latency == null ? NOTHING : code(latency.p50Micros());
    p99[slot] = latency == null ? NOTHING : code(latency.p99Micros());
  }

  private static char code(double micros) {
    double steps = Math.log(Math.max(MIN_MICROS, micros) / MIN_MICROS) * SCALE;
    return (char) Math.min(Character.MAX_VALUE, 1 + Math.round(steps));
  }

  private static double micros(char code) {
    return MIN_MICROS * Math.exp((code - 1) / SCALE);
  }

  /** Returns the percentiles of a point; null if nothing was decided. */
  @Nullable LatencyPercentiles at(long position) {
    int slot = slot(position);
    return p50 == null || p99 == null || p50[slot] == NOTHING
        ? null
        : new LatencyPercentiles(micros(p50[slot]), micros(p99[slot]));
  }

  private int slot(long position) {
    return (int) Math.floorMod(position, (long) size);
  }

  /** Returns the size of the points in bytes. */
  int memory() {
    return p50 == null ? 0 : 2 * Character.BYTES * size;
  }
}
