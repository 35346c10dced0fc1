package io.penstock;

import java.time.Duration;

/**
 * How many requests may pass. Immutable and compared by value.
 *
 * <p>The token bucket is the default choice: {@code Limit.perSecond(10).burst(50)} allows 50
 * requests at once and 10 per second after that. Window limits count the requests in a period of
 * time.
 */
public sealed interface Limit permits TokenBucket, WindowLimit {

  /** A token bucket that gains {@code tokens} per second. */
  static TokenBucket perSecond(double tokens) {
    return per(tokens, Duration.ofSeconds(1));
  }

  /** A token bucket that gains {@code tokens} per minute. */
  static TokenBucket perMinute(double tokens) {
    return per(tokens, Duration.ofMinutes(1));
  }

  /** A token bucket that gains {@code tokens} per hour. */
  static TokenBucket perHour(double tokens) {
    return per(tokens, Duration.ofHours(1));
  }

  /** A token bucket that gains {@code tokens} per day of 24 hours. */
  static TokenBucket perDay(double tokens) {
    return per(tokens, Duration.ofDays(1));
  }

  /**
   * A token bucket that continuously gains {@code tokens} per {@code period}. Its burst defaults to
   * the tokens of one period, but at least 1; {@link TokenBucket#burst(double)} changes it.
   */
  static TokenBucket per(double tokens, Duration period) {
    return TokenBucket.of(tokens, period);
  }

  /**
   * At most {@code limit} in each window. Windows start at multiples of their length on the store's
   * clock: in Redis since the Unix epoch, so a window of an hour starts on the hour, UTC; in
   * process since the arbitrary origin of the clock, by default {@link System#nanoTime}.
   */
  static WindowLimit fixedWindow(double limit, Duration window) {
    return WindowLimit.of(WindowLimit.Counting.FIXED_WINDOW, limit, window);
  }

  /**
   * At most {@code limit} as estimated by two counters: the count of the current aligned window,
   * plus the count of the previous one times the fraction of it that lies within one window length
   * from now.
   */
  static WindowLimit slidingWindow(double limit, Duration window) {
    return WindowLimit.of(WindowLimit.Counting.SLIDING_WINDOW_COUNTER, limit, window);
  }

  /**
   * At most {@code limit} in every window, at whatever time it starts. Stores the time of each
   * request, so {@code limit} is at most 100,000. Costs must be whole tokens.
   */
  static WindowLimit slidingLog(double limit, Duration window) {
    return WindowLimit.of(WindowLimit.Counting.SLIDING_WINDOW_LOG, limit, window);
  }

  /** The largest amount that can pass at once, in thousandths of a token. */
  long burstThousandths();

  /** The largest amount that can pass at once, in tokens. */
  default double burst() {
    return Tokens.toDouble(burstThousandths());
  }

  /** Time in which an exhausted limit is fully replenished, rounded up to a nanosecond. */
  Duration window();

  /** The reason of a denial by this limit. */
  Reason exceeded();
}
