package io.penstock.cli;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for a condition, up to a timeout. */
final class Await {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private Await() {}

  /** Waits and returns the elapsed milliseconds. */
  static long until(String description, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > TIMEOUT.toNanos()) {
        throw new AssertionError("timed out after " + TIMEOUT + ": " + description);
      }
      LockSupport.parkNanos(5_000_000);
    }
    return (System.nanoTime() - start) / 1_000_000;
  }
}
