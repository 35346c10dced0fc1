package io.penstock.server.figures;

import io.penstock.server.metrics.LatencyPercentiles;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a timeline. Immutable.
 *
 * @param start the start of the first point
 * @param points the points without gaps, the oldest first
 */
public record TimelineView(Resolution resolution, Instant start, List<TimelinePoint> points) {
  /**
   * The decisions within one step.
   *
   * @param latency null if nothing was decided
   */
  public record TimelinePoint(DecisionCounts counts, @Nullable LatencyPercentiles latency) {}

  /** Returns the same points without decisions. */
  public TimelineView withoutDecisions() {
    TimelinePoint nothing = new TimelinePoint(DecisionCounts.NONE, null);
    return new TimelineView(resolution, start, points.stream().map(point -> nothing).toList());
  }

  /** Returns the end of the last point. */
  public Instant end() {
    return start.plusSeconds((long) points.size() * resolution.seconds());
  }
}
