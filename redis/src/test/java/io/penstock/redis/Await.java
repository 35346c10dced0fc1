package io.penstock.redis;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for something to come true, within bounds. */
final class Await {
  private static final Duration MAX_DURATION = Duration.ofSeconds(60);

  private Await() {}

  static void until(String what, BooleanSupplier condition) {
    until(what, MAX_DURATION, condition);
  }

  /** Returns how long it took, in milliseconds. */
  static long until(String what, Duration longest, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > longest.toNanos()) {
        throw new AssertionError("not within " + longest + ": " + what);
      }
      LockSupport.parkNanos(1_000_000);
    }
    return (System.nanoTime() - start) / 1_000_000;
  }
}
