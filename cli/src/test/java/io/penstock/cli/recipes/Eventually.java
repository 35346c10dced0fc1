package io.penstock.cli.recipes;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what another process will do. */
final class Eventually {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final long PAUSE_NANOS = 10_000_000;

  private Eventually() {}

  static void until(String what, BooleanSupplier holds) {
    long start = System.nanoTime();
    while (!holds.getAsBoolean()) {
      if (System.nanoTime() - start > DEADLINE.toNanos()) {
        throw new AssertionError("not within " + DEADLINE + ": " + what);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }
}
