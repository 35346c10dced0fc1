package io.penstock;

import java.time.Duration;

/**
 * How much may pass. Immutable and compared by value.
 *
 * <p>The token bucket is the one to reach for: {@code Limit.perSecond(10).burst(50)} lets 50
 * through at once and 10 a second after. The windows count what passed in a stretch of time.
 */
public sealed interface Limit permits TokenBucket, WindowLimit {

  /** A token bucket that gains {@code tokens} a second. */
  static TokenBucket perSecond(double tokens) {
    return per(tokens, Duration.ofSeconds(1));
  }

  /** A token bucket that gains {@code tokens} a minute. */
  static TokenBucket perMinute(double tokens) {
    return per(tokens, Duration.ofMinutes(1));
  }

  /** A token bucket that gains {@code tokens} an hour. */
  static TokenBucket perHour(double tokens) {
    return per(tokens, Duration.ofHours(1));
  }

  /** A token bucket that gains {@code tokens} a day of 24 hours. */
  static TokenBucket perDay(double tokens) {
    return per(tokens, Duration.ofDays(1));
  }

  /**
   * A token bucket that gains {@code tokens} in each {@code period}, continuously. Its burst is
   * what one period brings, and at least 1, until {@link TokenBucket#burst(double)} says otherwise.
   */
  static TokenBucket per(double tokens, Duration period) {
    return TokenBucket.of(tokens, period);
  }

  /** At most {@code limit} in each window, aligned to the store's clock. */
  static WindowLimit fixedWindow(double limit, Duration window) {
    return WindowLimit.of(WindowLimit.Counting.FIXED_WINDOW, limit, window);
  }

  /**
   * At most {@code limit} by count of the current window plus the previous one's by the share of it
   * that still lies within one window's length.
   */
  static WindowLimit slidingWindow(double limit, Duration window) {
    return WindowLimit.of(WindowLimit.Counting.SLIDING_WINDOW_COUNTER, limit, window);
  }

  /**
   * At most {@code limit} in every window, wherever it begins. Remembers each request, so {@code
   * limit} is at most 100,000, and counts whole tokens only.
   */
  static WindowLimit slidingLog(double limit, Duration window) {
    return WindowLimit.of(WindowLimit.Counting.SLIDING_WINDOW_LOG, limit, window);
  }

  /** The most that can pass at once, in thousandths of a token. */
  long burstThousandths();

  /** The most that can pass at once, in tokens. */
  default double burst() {
    return Tokens.toDouble(burstThousandths());
  }

  /** How long a used-up limit takes to be whole again, rounded up to a nanosecond. */
  Duration window();

  /** Why a request over this limit is denied. */
  Reason exceeded();
}
