package io.penstock.policy.jwt;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** Converts numbers in claims to a canonical form. */
public final class ClaimNumber {
  /** The maximum number of digits before and after the decimal point. */
  public static final int MAX_DIGITS = 64;

  private ClaimNumber() {}

  /** Returns a number without exponent and trailing zeros; null if it would be too long. */
  public static @Nullable String plain(String number) {
    try {
      BigDecimal value = new BigDecimal(number).stripTrailingZeros();
      long wholeDigits = (long) value.precision() - value.scale();
      boolean fits = value.scale() <= MAX_DIGITS && wholeDigits <= MAX_DIGITS;
      return fits ? value.toPlainString() : null;
    } catch (ArithmeticException | NumberFormatException e) {
      return null;
    }
  }
}
