package io.penstock.policy.http;

import java.math.BigDecimal;
import java.time.Duration;

/** Times and amounts as answers give them: times rounded up, amounts of tokens as they are. */
public final class Rounding {
  static final long NANOS_PER_SECOND = 1_000_000_000;
  static final long TOKEN = 1_000;

  private static final int NANOS_PER_MILLI = 1_000_000;
  private static final int TOKEN_PLACES = 3;

  private Rounding() {}

  /** Whole seconds, rounded up, of a time that is not negative. */
  static long seconds(Duration time) {
    return time.getSeconds() + (time.getNano() == 0 ? 0 : 1);
  }

  /** Whole milliseconds, rounded up, of a time that is not negative. */
  public static long millis(Duration time) {
    int nanos = time.getNano();
    return time.getSeconds() * 1_000
        + nanos / NANOS_PER_MILLI
        + (nanos % NANOS_PER_MILLI == 0 ? 0 : 1);
  }

  /** Thousandths as a decimal number of tokens without needless zeros. */
  public static BigDecimal tokens(long thousandths) {
    return thousandths % TOKEN == 0
        ? BigDecimal.valueOf(thousandths / TOKEN)
        : BigDecimal.valueOf(thousandths, TOKEN_PLACES).stripTrailingZeros();
  }
}
