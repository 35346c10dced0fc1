package io.penstock.policy.accesslog;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How to read logs. Immutable.
 *
 * @param format the format; null to detect it
 * @param fields the fields to read
 * @param window by how much time lines can be out of order
 */
public record LogOptions(@Nullable LogFormat format, LogFields fields, Duration window) {
  /** Long enough for most servers that log a request when it ends. */
  public static final Duration DEFAULT_WINDOW = Duration.ofSeconds(10);

  public LogOptions {
    if (window.isNegative() || window.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException("window must be from 0 to 1 day: " + window);
    }
  }

  /** Detects the format and reads {@code fields}. */
  public static LogOptions of(LogFields fields) {
    return new LogOptions(null, fields, DEFAULT_WINDOW);
  }
}
