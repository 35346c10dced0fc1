package io.penstock.bench.report;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A ratio with its interval, printed as a machine-readable line. Targets refer to ratios.
 *
 * @param decimals the number of printed digits after the point
 */
public record Ratio(String name, Estimate estimate, int decimals) {
  /** Less than a byte per hundred calls is noise of the JVM. */
  private static final double ALLOCATION_NOISE = 0.01;

  private static final String RANGE = "..";
  private static final Pattern ROW =
      Pattern.compile("\\| `([^`]+)` \\|.*?\\| ([-0-9.]+) \\| ([-0-9.]*) \\|.*");

  public static Ratio of(String name, Estimate estimate) {
    return new Ratio(name, estimate, 2);
  }

  /** Returns a ratio that was measured once. */
  public static Ratio of(String name, double value) {
    return of(name, Estimate.exact(value));
  }

  /** Returns a ratio with more digits, for values far below one. */
  public static Ratio small(String name, Estimate estimate) {
    return new Ratio(name, estimate, 6);
  }

  public static Ratio bytesPerOp(String name, double bytes) {
    return bytes < ALLOCATION_NOISE
        ? new Ratio(name, Estimate.exact(0), 0)
        : new Ratio(name, Estimate.exact(bytes), 3);
  }

  /** Reads a row of {@link Overview}; empty if the line is none. */
  static Optional<Ratio> parse(String line) {
    Matcher row = ROW.matcher(line);
    if (!row.matches()) {
      return Optional.empty();
    }
    String value = row.group(2);
    String interval = row.group(3);
    int point = value.indexOf('.');
    double number = Double.parseDouble(value);
    Estimate estimate = Estimate.exact(number);
    if (!interval.isEmpty()) {
      int range = interval.indexOf(RANGE);
      estimate =
          new Estimate(
              number,
              Double.parseDouble(interval.substring(0, range)),
              Double.parseDouble(interval.substring(range + RANGE.length())));
    }
    return Optional.of(
        new Ratio(row.group(1), estimate, point < 0 ? 0 : value.length() - point - 1));
  }

  public String value() {
    return format(estimate.value());
  }

  /** Returns the interval; empty if the ratio was measured once. */
  public String interval() {
    return estimate.hasInterval() ? format(estimate.low()) + RANGE + format(estimate.high()) : "";
  }

  private String format(double number) {
    return String.format(Locale.ROOT, "%." + decimals + "f", number);
  }

  @Override
  public String toString() {
    return ("RATIO " + name + " " + value() + " " + interval()).strip();
  }
}
