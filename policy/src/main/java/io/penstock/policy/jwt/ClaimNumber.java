package io.penstock.policy.jwt;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** Numbers in claims, of which each has one form however it was written. */
public final class ClaimNumber {
  /** No number is longer, on either side of its point. */
  public static final int MAX_DIGITS = 64;

  private ClaimNumber() {}

  /** A number without an exponent and needless zeros; null if that would be endless. */
  public static @Nullable String plain(String number) {
    try {
      BigDecimal value = new BigDecimal(number).stripTrailingZeros();
      long wholeDigits = (long) value.precision() - value.scale();
      boolean brief = value.scale() <= MAX_DIGITS && wholeDigits <= MAX_DIGITS;
      return brief ? value.toPlainString() : null;
    } catch (ArithmeticException | NumberFormatException e) {
      return null;
    }
  }
}
