package io.penstock.policy.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts requests and denials over time, in a bounded number of intervals: when there are too many,
 * they are joined to longer ones. Not thread-safe.
 */
public final class Timeline {
  /** Each divides the next. */
  private static final long[] WIDTHS_SECONDS = {
    1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 604_800, 4_838_400
  };

  private static final long NANOS = 1_000_000_000L;
  private static final int MAX_INTERVALS = 240;

  private int width;
  private TreeMap<Long, long[]> counts = new TreeMap<>();
  private long[] current = {0, 0};
  private long currentStart = Long.MIN_VALUE;

  /**
   * An interval.
   *
   * @param startSeconds seconds since 1970
   */
  public record Interval(long startSeconds, long seconds, long requests, long denied) {}

  Timeline() {}

  void add(long timeNanos, long denied, long requests) {
    long seconds = WIDTHS_SECONDS[width];
    long start = Math.floorDiv(timeNanos, NANOS * seconds) * seconds;
    if (start != currentStart) {
      current = counts.computeIfAbsent(start, unused -> new long[2]);
      currentStart = start;
      if (counts.size() > MAX_INTERVALS || spans(seconds)) {
        join();
        current = counts.computeIfAbsent(start(timeNanos), unused -> new long[2]);
        currentStart = start(timeNanos);
      }
    }
    current[0] += requests;
    current[1] += denied;
  }

  private boolean spans(long seconds) {
    return (counts.lastKey() - counts.firstKey()) / seconds > MAX_INTERVALS
        && width < WIDTHS_SECONDS.length - 1;
  }

  private long start(long timeNanos) {
    long seconds = WIDTHS_SECONDS[width];
    return Math.floorDiv(timeNanos, NANOS * seconds) * seconds;
  }

  private void join() {
    do {
      if (width == WIDTHS_SECONDS.length - 1) {
        return;
      }
      long seconds = WIDTHS_SECONDS[++width];
      TreeMap<Long, long[]> joined = new TreeMap<>();
      for (Map.Entry<Long, long[]> each : counts.entrySet()) {
        long[] sum =
            joined.computeIfAbsent(
                Math.floorDiv(each.getKey(), seconds) * seconds, unused -> new long[2]);
        sum[0] += each.getValue()[0];
        sum[1] += each.getValue()[1];
      }
      counts = joined;
    } while (spans(WIDTHS_SECONDS[width]));
  }

  /** Returns all intervals from the first to the last, also those without requests. */
  List<Interval> intervals() {
    List<Interval> all = new ArrayList<>();
    if (counts.isEmpty()) {
      return all;
    }
    long seconds = WIDTHS_SECONDS[width];
    for (long at = counts.firstKey(); at <= counts.lastKey(); at += seconds) {
      long[] count = counts.getOrDefault(at, new long[2]);
      all.add(new Interval(at, seconds, count[0], count[1]));
    }
    return all;
  }
}
