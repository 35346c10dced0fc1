package io.penstock.bench.report;

import java.util.Locale;

/** A ratio, printed as a machine-readable line. Targets refer to ratios. */
public record Ratio(String name, String value) {
  /** Less than a byte per hundred calls is noise of the JVM. */
  private static final double ALLOCATION_NOISE = 0.01;

  public static Ratio of(String name, double value) {
    return new Ratio(name, String.format(Locale.ROOT, "%.2f", value));
  }

  /** Returns a ratio with more digits, for values far below one. */
  public static Ratio small(String name, double value) {
    return new Ratio(name, String.format(Locale.ROOT, "%.6f", value));
  }

  public static Ratio bytesPerOp(String name, double bytes) {
    return new Ratio(
        name, bytes < ALLOCATION_NOISE ? "0" : String.format(Locale.ROOT, "%.3f", bytes));
  }

  @Override
  public String toString() {
    return "RATIO " + name + " " + value;
  }
}
