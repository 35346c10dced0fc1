package io.penstock.policy.report;

import java.util.List;

/** Draws a series as a line of bars for terminals. */
public final class Sparkline {
  private static final String BARS = "▁▂▃▄▅▆▇█";
  private static final int MAX_WIDTH = 60;

  private Sparkline() {}

  /** Returns how many values a bar stands for. */
  public static int joined(int size) {
    return Math.max(1, (size + MAX_WIDTH - 1) / MAX_WIDTH);
  }

  /** Returns the value of the highest bar. */
  public static long max(List<Long> values) {
    long max = 0;
    for (long sum : sums(values)) {
      max = Math.max(max, sum);
    }
    return max;
  }

  private static long[] sums(List<Long> values) {
    int joined = joined(values.size());
    long[] sums = new long[(values.size() + joined - 1) / joined];
    for (int i = 0; i < values.size(); i++) {
      sums[i / joined] += values.get(i);
    }
    return sums;
  }

  /** Returns one bar for each value, or for the sum of several if there are many. */
  public static String of(List<Long> values) {
    StringBuilder line = new StringBuilder();
    long max = max(values);
    for (long sum : sums(values)) {
      line.append(sum == 0 ? ' ' : BARS.charAt((int) Math.min(7, sum * BARS.length() / (max + 1))));
    }
    return line.toString();
  }
}
