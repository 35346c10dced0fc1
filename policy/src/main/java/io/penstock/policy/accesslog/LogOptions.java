package io.penstock.policy.accesslog;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How to read logs. Immutable.
 *
 * @param format the format; null to detect it
 * @param fields the fields to read
 * @param window by how much time lines can be out of order
 * @param maxBytes how much of each log is read, decompressed
 * @param maxRequests how many requests of all logs are read
 */
public record LogOptions(
    @Nullable LogFormat format,
    LogFields fields,
    Duration window,
    long maxBytes,
    long maxRequests) {
  /** Long enough for most servers that log a request when it ends. */
  public static final Duration DEFAULT_WINDOW = Duration.ofSeconds(10);

  public LogOptions {
    if (window.isNegative() || window.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException("window must be from 0 to 1 day: " + window);
    }
  }

  /** Reads logs of any size. */
  public LogOptions(@Nullable LogFormat format, LogFields fields, Duration window) {
    this(format, fields, window, Long.MAX_VALUE, Long.MAX_VALUE);
  }

  /** Detects the format and reads {@code fields}. */
  public static LogOptions of(LogFields fields) {
    return new LogOptions(null, fields, DEFAULT_WINDOW);
  }

  /** Returns options that read at most these amounts; what is left out is reported. */
  public LogOptions upTo(long bytes, long requests) {
    return new LogOptions(format, fields, window, bytes, requests);
  }
}
