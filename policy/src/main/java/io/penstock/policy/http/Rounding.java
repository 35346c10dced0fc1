package io.penstock.policy.http;

import java.math.BigDecimal;
import java.time.Duration;

/** Formats times and amounts for responses. Times are rounded up; amounts of tokens are exact. */
public final class Rounding {
  static final long NANOS_PER_SECOND = 1_000_000_000;
  static final long TOKEN = 1_000;

  private static final int NANOS_PER_MILLI = 1_000_000;
  private static final int TOKEN_DECIMALS = 3;

  private Rounding() {}

  /** Returns a non-negative duration in seconds, rounded up. */
  static long seconds(Duration time) {
    return time.getSeconds() + (time.getNano() == 0 ? 0 : 1);
  }

  /** Returns a non-negative duration in milliseconds, rounded up. */
  public static long millis(Duration time) {
    int nanos = time.getNano();
    return time.getSeconds() * 1_000
        + nanos / NANOS_PER_MILLI
        + (nanos % NANOS_PER_MILLI == 0 ? 0 : 1);
  }

  /** Returns thousandths as a decimal number of tokens without trailing zeros. */
  public static BigDecimal tokens(long thousandths) {
    return thousandths % TOKEN == 0
        ? BigDecimal.valueOf(thousandths / TOKEN)
        : BigDecimal.valueOf(thousandths, TOKEN_DECIMALS).stripTrailingZeros();
  }
}
