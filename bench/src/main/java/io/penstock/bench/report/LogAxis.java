package io.penstock.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A logarithmic axis. Immutable.
 *
 * @param from the coordinate at which it starts
 * @param to the coordinate at which it ends
 */
record LogAxis(double min, double max, double from, double to) {
  private static final double FEW_DECADES = 2;

  /** Returns an axis for {@code values}, which must be positive. */
  static LogAxis of(List<Double> values, double from, double to) {
    double min = values.stream().mapToDouble(value -> value).min().orElse(1);
    double max = values.stream().mapToDouble(value -> value).max().orElse(1);
    if (min <= 0) {
      throw new IllegalArgumentException("values must be positive: " + min);
    }
    // An empty range still needs a length.
    return new LogAxis(min, Math.max(max, min * 1.01), from, to);
  }

  /** Returns a slightly longer axis, so that no value is at its ends. */
  LogAxis withMargin() {
    return new LogAxis(min / 1.3, max * 1.3, from, to);
  }

  double position(double value) {
    return from + (to - from) * Math.log(value / min) / Math.log(max / min);
  }

  /** Returns the powers of ten, and twice and five times these if there are few. */
  List<Double> ticks() {
    boolean few = Math.log10(max / min) < FEW_DECADES;
    List<Double> ticks = new ArrayList<>();
    for (double power = Math.pow(10, Math.floor(Math.log10(min))); power <= max; power *= 10) {
      for (double times : few ? new double[] {1, 2, 5} : new double[] {1}) {
        double tick = power * times;
        if (tick >= min * 0.999 && tick <= max * 1.001) {
          ticks.add(tick);
        }
      }
    }
    return ticks;
  }

  static String format(double value) {
    if (value >= 1e6) {
      return plain(value / 1e6) + "M";
    }
    return value >= 1e4 ? plain(value / 1e3) + "k" : plain(value);
  }

  private static String plain(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%.0f", value)
        : String.format(Locale.ROOT, "%.2g", value);
  }
}
