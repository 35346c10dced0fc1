package io.penstock.server.figures;

import io.penstock.server.metrics.DecisionLatency;
import io.penstock.server.metrics.LatencyPercentiles;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Percentiles of the decision time over time. Not thread-safe. */
final class LatencySeries {
  private final int size;
  private final float[] p50;
  private final float[] p99;

  LatencySeries(Resolution resolution) {
    this.size = resolution.points() + 1;
    this.p50 = new float[size];
    this.p99 = new float[size];
    Arrays.fill(p50, Float.NaN);
    Arrays.fill(p99, Float.NaN);
  }

  /**
   * Sets a point to the percentiles of what was recorded between two histograms.
   *
   * @param before null to set it to nothing
   */
  void set(long position, long @Nullable [] before, long[] after) {
    LatencyPercentiles latency = before == null ? null : DecisionLatency.percentiles(before, after);
    int slot = slot(position);
    p50[slot] = latency == null ? Float.NaN : (float) latency.p50Micros();
    p99[slot] = latency == null ? Float.NaN : (float) latency.p99Micros();
  }

  /** Returns the percentiles of a point; null if nothing was decided. */
  @Nullable LatencyPercentiles at(long position) {
    int slot = slot(position);
    return Float.isNaN(p50[slot]) ? null : new LatencyPercentiles(p50[slot], p99[slot]);
  }

  private int slot(long position) {
    return (int) Math.floorMod(position, (long) size);
  }
}
