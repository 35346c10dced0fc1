package io.penstock;

import java.math.BigDecimal;

/** Amounts of tokens as they cross the API: {@code double} outside, whole thousandths inside. */
final class Tokens {
  /** Thousandths in a token. */
  static final long ONE = 1_000;

  /** No burst, window limit or rate a second is larger than this many tokens. */
  static final long MAX = 1_000_000_000;

  private static final double MAX_COST = 1e12;

  private Tokens() {}

  /** A cost in thousandths, rounded up to the next one. Allocates nothing when the cost is good. */
  static long cost(double cost) {
    long whole = (long) cost;
    if (whole == cost && whole >= 0 && whole <= (long) MAX_COST) {
      return whole * ONE;
    }
    if (!(cost >= 0 && cost <= MAX_COST)) {
      throw new IllegalArgumentException("cost must be a number from 0 to 1000000000000: " + cost);
    }
    double thousandths = cost * ONE;
    double nearest = Math.rint(thousandths);
    // 1.001 * 1000 is a hair below 1001 in binary: what is that close to a thousandth is meant so.
    boolean meant = Math.abs(thousandths - nearest) <= Math.ulp(thousandths) * 4;
    return (long) (meant ? nearest : Math.ceil(thousandths));
  }

  /** A burst or window limit in thousandths; it has to be a whole number of them. */
  static long amount(String name, double tokens) {
    BigDecimal amount = positive(name, tokens);
    if (amount.compareTo(BigDecimal.valueOf(MAX)) > 0) {
      throw new IllegalArgumentException(name + " must be at most " + MAX + ": " + tokens);
    }
    BigDecimal thousandths = amount.movePointRight(3);
    if (thousandths.stripTrailingZeros().scale() > 0) {
      throw new IllegalArgumentException(
          name + " must be a whole number of thousandths: " + tokens);
    }
    return thousandths.longValueExact();
  }

  /** The decimal that the caller wrote: 0.083 is 83/1000, not the nearest binary fraction. */
  static BigDecimal positive(String name, double tokens) {
    if (!(tokens > 0 && tokens <= Double.MAX_VALUE)) {
      throw new IllegalArgumentException(name + " must be positive and finite: " + tokens);
    }
    return BigDecimal.valueOf(tokens);
  }

  /** Thousandths as a number of tokens, for people and for headers. */
  static double toDouble(long thousandths) {
    return thousandths / 1_000.0;
  }
}
