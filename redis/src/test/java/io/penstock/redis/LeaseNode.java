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

  /** Less than this is too short for a cold JVM. */
  private static final Duration LONG_WAIT = Duration.ofSeconds(10);

  /** More than enough CPU time to start and to connect. */
  private static final Duration ENOUGH_CPU = Duration.ofSeconds(5);

  private static volatile boolean stopped;

  private LeaseNode() {}

  public static void main(String[] args) throws Exception {
    long start = System.nanoTime();
    RedisStore store =
        RedisStore.builder().deadline(Duration.ofMillis(500)).connect(RedisURI.create(args[0]));
    if (!store.isAvailable() && !isStarved(System.nanoTime() - start)) {
      // The default start timeout has to be long enough for a cold JVM.
      throw new IllegalStateException("not connected: " + store.unavailableReason());
    }
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

  /** Whether this process had too little CPU time to connect, although it waited for long. */
  private static boolean isStarved(long waitedNanos) {
    Duration cpu = ProcessHandle.current().info().totalCpuDuration().orElse(ENOUGH_CPU);
    return waitedNanos >= LONG_WAIT.toNanos() && cpu.compareTo(ENOUGH_CPU) < 0;
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
