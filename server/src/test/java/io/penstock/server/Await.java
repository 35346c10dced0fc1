package io.penstock.server;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for a condition. */
public final class Await {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long PAUSE_MILLIS = 10;

  private Await() {}

  public static void until(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("it did not come within " + PATIENCE);
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }
}
