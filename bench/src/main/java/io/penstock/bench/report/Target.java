package io.penstock.bench.report;

/**
 * The target of a ratio.
 *
 * @param bound the minimum or maximum
 */
record Target(double bound, boolean isMinimum) {
  boolean isMetBy(double value) {
    return isMinimum ? value >= bound : value <= bound;
  }

  /** Returns the verdict. It is uncertain if the interval includes values on both sides. */
  String verdict(Estimate estimate) {
    boolean met = isMetBy(estimate.value());
    boolean certain = isMetBy(estimate.low()) == met && isMetBy(estimate.high()) == met;
    return (met ? "met" : "**missed**") + (certain ? "" : ", uncertain");
  }

  @Override
  public String toString() {
    String number = bound == Math.rint(bound) ? "" + (long) bound : "" + bound;
    return (isMinimum ? "at least " : "at most ") + number;
  }
}
