package io.penstock.cli;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for something to come true, within bounds. */
final class Await {
  private static final Duration MAX_DURATION = Duration.ofSeconds(60);

  private Await() {}

  /** Returns how long it took, in milliseconds. */
  static long until(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > MAX_DURATION.toNanos()) {
        throw new AssertionError("not within " + MAX_DURATION + ": " + what);
      }
      LockSupport.parkNanos(5_000_000);
    }
    return (System.nanoTime() - start) / 1_000_000;
  }
}
