package io.penstock.inprocess;

import io.penstock.Limit;
import io.penstock.RateLimiter;
import java.util.SplittableRandom;

/**
 * Sends many times more made-up keys to a limiter than it keeps, in a JVM with a small heap. Prints
 * the figures that {@link FloodTest} checks.
 */
final class Flood {
  private static final int CAP = 1_000_000;
  private static final int DENIED = 1_000;

  private Flood() {}

  public static void main(String[] args) {
    int keys = Integer.parseInt(args[0]);
    InProcessStore store = InProcessStore.builder().maxKeys(CAP).build();
    RateLimiter limiter = RateLimiter.on(store, "flooded", Limit.perDay(1).burst(5));
    for (int i = 0; i < DENIED; i++) {
      limiter.tryAcquire("abuser-" + i, 5);
    }
    SplittableRandom random = new SplittableRandom(1);
    long most = 0;
    long half = 0;
    for (int i = 0; i < keys; i++) {
      limiter.tryAcquire("made-up-" + Long.toHexString(random.nextLong()));
      most = Math.max(most, store.keys());
      if (i == keys / 2) {
        half = usedBytes();
      }
    }
    int stillDenied = 0;
    for (int i = 0; i < DENIED; i++) {
      stillDenied += limiter.tryAcquire("abuser-" + i) ? 0 : 1;
    }
    System.out.println("most=" + most);
    System.out.println("denied=" + stillDenied);
    System.out.println("grown=" + (usedBytes() - half));
    System.out.println("used=" + usedBytes());
    System.out.println("kept=" + store.keys());
  }

  private static long usedBytes() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}
