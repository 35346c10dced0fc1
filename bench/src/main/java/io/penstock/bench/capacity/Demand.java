package io.penstock.bench.capacity;

/**
 * What is to be decided.
 *
 * @param decisions a second
 * @param keys that are active: a full bucket is none
 * @param leasedPercent of the decisions, those on keys that are leased
 * @param rememberedPercent of the decisions, those that are denied again within the second
 */
record Demand(double decisions, double keys, double leasedPercent, double rememberedPercent) {
  Demand {
    check("decisions", decisions, Double.MAX_VALUE);
    check("keys", keys, Double.MAX_VALUE);
    check("leased and remembered", leasedPercent + rememberedPercent, 100);
    check("leased", leasedPercent, 100);
    check("remembered", rememberedPercent, 100);
  }

  private static void check(String what, double value, double most) {
    if (!(value >= 0 && value <= most)) {
      throw new IllegalArgumentException(what + " must be from 0 to " + most + ": " + value);
    }
  }

  /** Decisions a second that are calls to Redis, or a part of one. */
  double exact() {
    return decisions * (100 - leasedPercent - rememberedPercent) / 100;
  }

  double leased() {
    return decisions * leasedPercent / 100;
  }
}
