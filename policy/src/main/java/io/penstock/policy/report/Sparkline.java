package io.penstock.policy.report;

import java.util.List;

/** Draws a series as a line of bars for terminals. */
public final class Sparkline {
  private static final String BARS = "▁▂▃▄▅▆▇█";
  private static final int MAX_WIDTH = 60;

  private Sparkline() {}

  /** Returns one bar for each value, or for the sum of several if there are many. */
  public static String of(List<Long> values) {
    int joined = (values.size() + MAX_WIDTH - 1) / MAX_WIDTH;
    StringBuilder line = new StringBuilder();
    long[] sums = new long[joined == 0 ? 0 : (values.size() + joined - 1) / joined];
    long max = 0;
    for (int i = 0; i < values.size(); i++) {
      sums[i / joined] += values.get(i);
      max = Math.max(max, sums[i / joined]);
    }
    for (long sum : sums) {
      line.append(sum == 0 ? ' ' : BARS.charAt((int) Math.min(7, sum * BARS.length() / (max + 1))));
    }
    return line.toString();
  }
}
