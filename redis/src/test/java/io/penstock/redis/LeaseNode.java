package io.penstock.redis;

import io.lettuce.core.RedisURI;
import io.penstock.Consistency;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.StoreOptions;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A process with a leased limiter and callers. For each grant, it prints when the request was sent
 * and when it was granted, in microseconds of the system clock, until its input ends.
 */
final class LeaseNode {
  static final int RATE = 400;
  static final int BURST = 400;

  private static volatile boolean stopped;

  private LeaseNode() {}

  public static void main(String[] args) throws Exception {
    RedisStore store =
        RedisStore.builder()
            .deadline(Duration.ofMillis(500))
            .startTimeout(Duration.ofSeconds(10))
            .connect(RedisURI.create(args[0]));
    RateLimiter limiter =
        RateLimiter.on(
            store,
            "shared",
            Limit.perSecond(RATE).burst(BURST),
            new StoreOptions(FailurePolicy.CLOSED, Consistency.LEASED));
    long pauseNanos = Long.parseLong(args[2]);
    List<Thread> callers = new ArrayList<>();
    for (int i = Integer.parseInt(args[1]); i > 0; i--) {
      Thread caller = new Thread(() -> call(limiter, pauseNanos));
      caller.setDaemon(true);
      callers.add(caller);
      caller.start();
    }
    while (System.in.read() >= 0) {
      Thread.onSpinWait();
    }
    stopped = true;
    for (Thread caller : callers) {
      caller.join(5_000);
    }
    store.close();
    print("closed");
    System.exit(0);
  }

  private static void call(RateLimiter limiter, long pauseNanos) {
    while (!stopped) {
      long sent = micros();
      if (limiter.tryAcquire("k")) {
        print(sent + " " + micros());
      }
      LockSupport.parkNanos(pauseNanos);
    }
  }

  private static void print(String line) {
    synchronized (System.out) {
      System.out.println(line);
      System.out.flush();
    }
  }

  static long micros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }
}
