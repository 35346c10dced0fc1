package io.penstock.server.figures;

/**
 * The decision times of a rule or of all requests: its histogram and its points. Not thread-safe.
 */
final class LatencyTrack {
  private final LatencySeries seconds = new LatencySeries(Resolution.SECOND);
  private final LatencySeries minutes = new LatencySeries(Resolution.MINUTE);
  private long[] before;
  private long[] atMinute;

  /**
   * @param before the histogram before the first sample
   */
  LatencyTrack(long[] before) {
    this.before = before;
    this.atMinute = before;
  }

  LatencySeries at(Resolution resolution) {
    return resolution == Resolution.SECOND ? seconds : minutes;
  }

  /**
   * Sets the points from one second to before another.
   *
   * @param counts the current histogram
   */
  void sample(long from, long now, long[] counts) {
    for (long second = Math.max(from, now - Resolution.SECOND.points()); second < now; second++) {
      seconds.set(second, before, counts);
    }
    long minute = Resolution.MINUTE.position(from);
    long current = Resolution.MINUTE.position(now);
    if (current > minute) {
      minutes.set(minute, atMinute, counts);
      long skipped = Math.max(minute + 1, current - Resolution.MINUTE.points());
      for (; skipped < current; skipped++) {
        minutes.set(skipped, null, counts);
      }
      atMinute = counts;
    }
    before = counts;
  }

  /** Returns the size of the points in bytes. */
  int memory() {
    return seconds.memory() + minutes.memory();
  }
}
