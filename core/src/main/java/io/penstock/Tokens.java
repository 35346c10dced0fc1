package io.penstock;

import java.math.BigDecimal;

/** Conversions of token amounts: {@code double} in the API, whole thousandths internally. */
final class Tokens {
  /** Thousandths per token. */
  static final long ONE = 1_000;

  /** Maximum of bursts, window limits and rates per second, in tokens. */
  static final long MAX = 1_000_000_000;

  private static final double MAX_COST = 1e12;

  private Tokens() {}

  /** Converts a cost to thousandths, rounded up. Allocates nothing if the cost is valid. */
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
    // 1.001 * 1000 is slightly less than 1001 in binary. Treat such values as the whole thousandth.
    boolean isWholeThousandth = Math.abs(thousandths - nearest) <= Math.ulp(thousandths) * 4;
    return (long) (isWholeThousandth ? nearest : Math.ceil(thousandths));
  }

  /** Converts a burst or window limit to thousandths; it must be a whole number of them. */
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

  /**
   * Returns the decimal that the caller wrote: 0.083 is 83/1000, not the nearest binary fraction.
   */
  static BigDecimal positive(String name, double tokens) {
    if (!(tokens > 0 && tokens <= Double.MAX_VALUE)) {
      throw new IllegalArgumentException(name + " must be positive and finite: " + tokens);
    }
    return BigDecimal.valueOf(tokens);
  }

  /** Formats thousandths as a decimal number of tokens, such as {@code 5} or {@code 2.5}. */
  static String format(long thousandths) {
    return BigDecimal.valueOf(thousandths, 3).stripTrailingZeros().toPlainString();
  }

  /** Converts thousandths to tokens, for display and headers. */
  static double toDouble(long thousandths) {
    return thousandths / 1_000.0;
  }
}
