package io.penstock.server.log;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** A warning that is logged at most once a minute and counted in between. Thread-safe. */
public final class RepeatedWarning {
  private static final long INTERVAL_NANOS = 60_000_000_000L;

  private final Logger logger;
  private final AtomicLong suppressed = new AtomicLong();
  private final AtomicLong nextNanos = new AtomicLong(System.nanoTime());

  public RepeatedWarning(Logger logger) {
    this.logger = logger;
  }

  /**
   * Returns the class of an exception and where it was thrown. Unlike its message, neither quotes a
   * request.
   */
  public static String originOf(Throwable failure) {
    StackTraceElement[] trace = failure.getStackTrace();
    return failure.getClass().getName() + (trace.length == 0 ? "" : " at " + trace[0]);
  }

  /** Logs the warning, or counts it. */
  public void warn(String message) {
    warn(message, null);
  }

  /**
   * Logs the warning with its cause, or counts it. Stack traces are logged at debug level, one for
   * each call.
   */
  public void warn(String message, @Nullable Throwable cause) {
    if (cause instanceof OutOfMemoryError) {
      logger.error(message, cause);
      return;
    }
    if (cause != null) {
      logger.debug(message, cause);
    }
    long now = System.nanoTime();
    long next = nextNanos.get();
    if (now - next < 0 || !nextNanos.compareAndSet(next, now + INTERVAL_NANOS)) {
      suppressed.incrementAndGet();
      return;
    }
    long repeats = suppressed.getAndSet(0);
    logger.warn(
        "{}{}{}",
        message,
        cause == null ? "" : ": " + cause,
        repeats == 0 ? "" : " (repeated " + repeats + " times before)");
  }
}
