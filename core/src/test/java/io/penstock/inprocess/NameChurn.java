package io.penstock.inprocess;

import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Uses many names on one store, in a JVM with a small heap. Prints the figures that {@link
 * NameChurnTest} checks.
 */
final class NameChurn {
  private static final int RETIRED = 200_000;
  private static final int LIVE = 20_000;

  private NameChurn() {}

  public static void main(String[] args) {
    ManualClock clock = new ManualClock();
    InProcessStore store = InProcessStore.builder().clock(clock).build();
    long before = usedBytes();
    for (int i = 0; i < RETIRED; i++) {
      RateLimiter limiter =
          i % 4 == 0
              ? RateLimiter.on(store, "w" + i, Limit.fixedWindow(5, Duration.ofMillis(100)))
              : RateLimiter.on(store, "b" + i, Limit.perSecond(10).burst(1));
      limiter.tryAcquire("k");
      limiter.retire();
      clock.advance(Duration.ofMillis(1));
    }
    System.out.println("left=" + (usedBytes() - before));
    System.out.println("keys=" + store.keys());
    List<RateLimiter> live = new ArrayList<>();
    before = usedBytes();
    for (int i = 0; i < LIVE; i++) {
      RateLimiter limiter = RateLimiter.on(store, "live" + i, Limit.perSecond(10).burst(1));
      limiter.tryAcquire("k");
      live.add(limiter);
    }
    System.out.println("each=" + (usedBytes() - before) / live.size());
  }

  private static long usedBytes() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}
