package io.penstock.server.simulation;

import io.penstock.Decision;
import java.time.Duration;
import java.util.Locale;

/** What the client of a denied request does. */
public enum RetryBehavior {
  /** It gives up. */
  NONE,
  /** It retries after the time in the response. */
  AFTER_HINT,
  /** It retries immediately, after a round trip. */
  AT_ONCE;

  private static final Duration ROUND_TRIP = Duration.ofMillis(100);
  private static final Duration MIN_WAIT = Duration.ofMillis(1);

  /** Returns the name used in requests. */
  public String code() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns whether a denied request is sent again. */
  boolean retries(Decision denial) {
    return this != NONE && !denial.neverAllowed();
  }

  /** Returns the time until the request is sent again. */
  long waitNanos(Decision denial) {
    return this == AT_ONCE
        ? ROUND_TRIP.toNanos()
        : Math.max(MIN_WAIT.toNanos(), denial.retryAfter().toNanos());
  }
}
