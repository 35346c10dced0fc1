package io.penstock.policy.load;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Exact numbers of tokens as written in files. */
final class Decimals {
  private static final BigDecimal MAX_COST = new BigDecimal("1000000000000");

  private static final BigDecimal MAX_AMOUNT = new BigDecimal("1000000000");
  private static final int MAX_LENGTH = 40;

  private Decimals() {}

  /** Parses a number. Rejects extreme exponents, which would make arithmetic too expensive. */
  static BigDecimal parse(String text) {
    if (text.length() <= MAX_LENGTH) {
      try {
        BigDecimal number = new BigDecimal(text);
        if (Math.abs((long) number.scale()) <= MAX_LENGTH) {
          return number;
        }
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException("must be a number: " + text, e);
      }
    }
    throw new IllegalArgumentException(
        "must be a number of at most " + MAX_LENGTH + " digits: " + text);
  }

  /** Checks that a number is positive. */
  static BigDecimal positive(BigDecimal number) {
    if (number.signum() <= 0) {
      throw new IllegalArgumentException("must be positive: " + number.toPlainString());
    }
    return number;
  }

  /**
   * Returns a burst or window limit in thousandths of a token. It has to be a whole number of them.
   */
  static long amount(BigDecimal tokens) {
    positive(tokens);
    if (tokens.compareTo(MAX_AMOUNT) > 0) {
      throw new IllegalArgumentException(
          "must be at most " + MAX_AMOUNT + ": " + tokens.toPlainString());
    }
    BigDecimal thousandths = tokens.movePointRight(3);
    if (thousandths.stripTrailingZeros().scale() > 0) {
      throw new IllegalArgumentException(
          "must be a whole number of thousandths: " + tokens.toPlainString());
    }
    return thousandths.longValueExact();
  }

  /** Returns a cost in thousandths of a token, rounded up. */
  static long cost(BigDecimal tokens) {
    positive(tokens);
    if (tokens.compareTo(MAX_COST) > 0) {
      throw new IllegalArgumentException(
          "must be at most " + MAX_COST + ": " + tokens.toPlainString());
    }
    return tokens.movePointRight(3).setScale(0, RoundingMode.CEILING).longValueExact();
  }

  /** Returns the tokens of one period as a burst in thousandths, rounded up to a whole token. */
  static long burstOf(BigDecimal tokens) {
    return amount(tokens.setScale(0, RoundingMode.CEILING).min(MAX_AMOUNT));
  }
}
