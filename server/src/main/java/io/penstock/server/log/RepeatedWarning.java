package io.penstock.server.log;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** A warning that is written at most once a minute, and counted in between. Thread-safe. */
public final class RepeatedWarning {
  private static final long INTERVAL_NANOS = 60_000_000_000L;

  private final Logger logger;
  private final AtomicLong unwritten = new AtomicLong();
  private final AtomicLong nextNanos = new AtomicLong(System.nanoTime());

  public RepeatedWarning(Logger logger) {
    this.logger = logger;
  }

  /** Writes the warning, or counts it. */
  public void warn(String message) {
    warn(message, null);
  }

  /** Writes the warning with its cause, or counts it. */
  public void warn(String message, @Nullable Throwable cause) {
    long now = System.nanoTime();
    long next = nextNanos.get();
    if (now - next < 0 || !nextNanos.compareAndSet(next, now + INTERVAL_NANOS)) {
      unwritten.incrementAndGet();
      return;
    }
    long repeats = unwritten.getAndSet(0);
    logger.warn(repeats == 0 ? message : message + ", and " + repeats + " times before", cause);
  }
}
