package io.penstock.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * An axis on which equal steps multiply. Immutable.
 *
 * @param from where it begins on the picture
 * @param to where it ends
 */
record LogAxis(double least, double most, double from, double to) {
  private static final double FEW_DECADES = 2;

  /** An axis for all of {@code values}, which are positive. */
  static LogAxis of(List<Double> values, double from, double to) {
    double least = values.stream().mapToDouble(value -> value).min().orElse(1);
    double most = values.stream().mapToDouble(value -> value).max().orElse(1);
    if (least <= 0) {
      throw new IllegalArgumentException("values must be positive: " + least);
    }
    // A range of nothing still needs a length.
    return new LogAxis(least, Math.max(most, least * 1.01), from, to);
  }

  /** A little longer than its values, so that none lies on its ends. */
  LogAxis withMargin() {
    return new LogAxis(least / 1.3, most * 1.3, from, to);
  }

  double place(double value) {
    return from + (to - from) * Math.log(value / least) / Math.log(most / least);
  }

  /** Powers of ten, and twos and fives between them where there are few. */
  List<Double> ticks() {
    boolean few = Math.log10(most / least) < FEW_DECADES;
    List<Double> ticks = new ArrayList<>();
    for (double power = Math.pow(10, Math.floor(Math.log10(least))); power <= most; power *= 10) {
      for (double times : few ? new double[] {1, 2, 5} : new double[] {1}) {
        double tick = power * times;
        if (tick >= least * 0.999 && tick <= most * 1.001) {
          ticks.add(tick);
        }
      }
    }
    return ticks;
  }

  static String words(double value) {
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
