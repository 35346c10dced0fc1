package io.penstock.inprocess;

import io.penstock.JointRequest;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Virtual threads that request buckets and windows of one key, jointly and singly. Prints what was
 * granted. Compiled for Java 17, so virtual threads are started by reflection.
 */
final class VirtualThreads {
  private static final int LIMIT = 100_000;

  private VirtualThreads() {}

  public static void main(String[] args) throws Exception {
    int threads = Integer.parseInt(args[0]);
    InProcessStore store = InProcessStore.create();
    RateLimiter first = RateLimiter.on(store, "first", Limit.perDay(50).burst(LIMIT));
    RateLimiter second = RateLimiter.on(store, "second", Limit.perDay(500).burst(10 * LIMIT));
    RateLimiter fixed =
        RateLimiter.on(store, "fixed", Limit.fixedWindow(10 * LIMIT, Duration.ofDays(365)));
    RateLimiter sliding =
        RateLimiter.on(store, "sliding", Limit.slidingWindow(10 * LIMIT, Duration.ofDays(365)));
    AtomicLong granted = new AtomicLong();
    List<Thread> all = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      boolean single = t % 4 == 3;
      JointRequest claims =
          RateLimiter.all(first.at("k"), fixed.at("k"), second.at("k"), sliding.at("k"));
      all.add(
          startVirtual(
              () -> {
                for (int i = 0; i < 2 * LIMIT / threads; i++) {
                  granted.addAndGet((single ? first.tryAcquire("k") : claims.tryAcquire()) ? 1 : 0);
                  if (single) {
                    fixed.tryAcquire("k");
                    second.tryAcquire("k", 0.001);
                  }
                }
              }));
    }
    for (Thread thread : all) {
      thread.join();
    }
    System.out.println("granted=" + granted);
  }

  private static Thread startVirtual(Runnable body) throws ReflectiveOperationException {
    return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
  }
}
