package io.penstock;

import java.time.Duration;
import java.util.Locale;

/**
 * At most {@code limit} in a window of time, counted by one of three algorithms. Immutable. Windows
 * support take, peek and reset; waiting, charge and refund require a token bucket.
 *
 * @param kind the counting algorithm
 * @param burstThousandths the limit, in thousandths of a token
 * @param window the length of the window
 */
public record WindowLimit(Counting kind, long burstThousandths, Duration window) implements Limit {
  private static final long MAX_LOG = 100_000;
  private static final Duration MAX_DURATION = Duration.ofDays(3653);

  /** The counting algorithms. */
  public enum Counting {
    /** One count for each aligned window. */
    FIXED_WINDOW(Reason.FIXED_WINDOW_EXCEEDED),
    /** The count of the current window plus a fraction of the previous one. */
    SLIDING_WINDOW_COUNTER(Reason.SLIDING_WINDOW_COUNTER_EXCEEDED),
    /** The time of each request. */
    SLIDING_WINDOW_LOG(Reason.SLIDING_WINDOW_LOG_EXCEEDED);

    private final Reason exceeded;

    Counting(Reason exceeded) {
      this.exceeded = exceeded;
    }
  }

  public WindowLimit {
    long max = kind == Counting.SLIDING_WINDOW_LOG ? MAX_LOG : Tokens.MAX;
    if (burstThousandths <= 0 || burstThousandths > max * Tokens.ONE) {
      throw new InvalidValueException(
          "limit", "must be from 0.001 to " + max + ": " + Tokens.toDouble(burstThousandths));
    }
    if (kind == Counting.SLIDING_WINDOW_LOG && burstThousandths % Tokens.ONE != 0) {
      throw new IllegalArgumentException(
          "limit of a sliding log must be whole: " + Tokens.toDouble(burstThousandths));
    }
    if (window.isNegative() || window.isZero() || window.compareTo(MAX_DURATION) > 0) {
      throw new InvalidValueException("window", "must be positive and at most 10 years: " + window);
    }
  }

  static WindowLimit of(Counting kind, double limit, Duration window) {
    return new WindowLimit(kind, Tokens.amount("limit", limit), window);
  }

  @Override
  public Reason exceeded() {
    return kind.exceeded;
  }

  /** Such as {@code 100/min sliding window counter} or {@code 3/10s fixed window}. */
  @Override
  public String toString() {
    return Tokens.format(burstThousandths)
        + "/"
        + Rate.formatPeriod(window)
        + " "
        + kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
