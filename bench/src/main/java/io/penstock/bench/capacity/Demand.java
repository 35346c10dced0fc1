package io.penstock.bench.capacity;

/**
 * The load to plan for.
 *
 * @param decisions decisions per second
 * @param keys active keys; a full bucket does not count
 * @param leasedPercent the share of decisions on leased keys
 * @param cachedDenialPercent the share of decisions that repeat a denial within a second
 */
record Demand(double decisions, double keys, double leasedPercent, double cachedDenialPercent) {
  Demand {
    check("decisions", decisions, Double.MAX_VALUE);
    check("keys", keys, Double.MAX_VALUE);
    check("leased and cached denials", leasedPercent + cachedDenialPercent, 100);
    check("leased", leasedPercent, 100);
    check("cached denials", cachedDenialPercent, 100);
  }

  private static void check(String name, double value, double max) {
    if (!(value >= 0 && value <= max)) {
      throw new IllegalArgumentException(name + " must be from 0 to " + max + ": " + value);
    }
  }

  /** Returns the decisions per second that need a call to Redis, or a part of one. */
  double exact() {
    return decisions * (100 - leasedPercent - cachedDenialPercent) / 100;
  }

  double leased() {
    return decisions * leasedPercent / 100;
  }
}
