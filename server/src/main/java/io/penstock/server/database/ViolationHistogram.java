package io.penstock.server.database;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Numbers of denied requests over time. Immutable.
 *
 * @param start the start of the first bar
 * @param stepSeconds the width of a bar
 * @param denied the number of requests in each bar
 */
public record ViolationHistogram(Instant start, long stepSeconds, List<Long> denied) {
  public ViolationHistogram {
    denied = List.copyOf(denied);
  }

  /**
   * Returns a histogram of zeros that includes a period.
   *
   * @param end exclusive
   */
  static ViolationHistogram empty(Instant start, Instant end, int maxBars) {
    long seconds = Math.max(1, ceiling(Duration.between(start, end).toMillis(), 1_000));
    long step = ceiling(seconds, maxBars);
    return new ViolationHistogram(
        start, step, Collections.nCopies((int) ceiling(seconds, step), 0L));
  }

  private static long ceiling(long dividend, long divisor) {
    return (dividend + divisor - 1) / divisor;
  }

  /** Returns the same bars with other numbers. */
  ViolationHistogram with(long[] numbers) {
    return new ViolationHistogram(start, stepSeconds, Arrays.stream(numbers).boxed().toList());
  }

  /** Returns the end of the last bar. */
  public Instant end() {
    return start.plusSeconds(stepSeconds * denied.size());
  }

  /** Returns the bar that a time belongs to. */
  int bar(Instant at) {
    return (int) (Duration.between(start, at).toMillis() / 1_000 / stepSeconds);
  }
}
