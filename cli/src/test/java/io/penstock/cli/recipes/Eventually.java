package io.penstock.cli.recipes;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for a condition of another process. */
final class Eventually {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final long PAUSE_NANOS = 10_000_000;

  private Eventually() {}

  static void until(String description, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > TIMEOUT.toNanos()) {
        throw new AssertionError("timed out after " + TIMEOUT + ": " + description);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }
}
