package io.penstock.redis;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for a condition, with a timeout. */
final class Await {
  private static final Duration MAX_DURATION = Duration.ofSeconds(60);

  private Await() {}

  static void until(String description, BooleanSupplier condition) {
    until(description, MAX_DURATION, condition);
  }

  /** Returns how long it took, in milliseconds. */
  static long until(String description, Duration timeout, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > timeout.toNanos()) {
        throw new AssertionError("not within " + timeout + ": " + description);
      }
      LockSupport.parkNanos(1_000_000);
    }
    return (System.nanoTime() - start) / 1_000_000;
  }
}
