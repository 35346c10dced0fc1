package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Consistency;
import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.StoreOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * Callers that exhaust the buckets of some keys on a cluster. The rates are so slow that every
 * grant beyond a burst was lost by a server, and every missing grant was charged to a caller that
 * never got it.
 */
final class ClusterLoad implements AutoCloseable {
  private static final StoreOptions CLOSED =
      new StoreOptions(FailurePolicy.CLOSED, Consistency.EXACT);

  private final int burst;
  private final Map<String, Bucket> buckets = new LinkedHashMap<>();
  private final List<Thread> callers = new ArrayList<>();
  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Long> tookNanos = new ConcurrentLinkedQueue<>();
  private volatile boolean stopped;

  /** The results for one key. */
  static final class Bucket {
    final AtomicLong granted = new AtomicLong();
    final AtomicLong denied = new AtomicLong();
    final AtomicLong degraded = new AtomicLong();
    final AtomicLong longestGapNanos = new AtomicLong();
    private final AtomicLong lastExactNanos = new AtomicLong(System.nanoTime());

    private void note(Decision decision) {
      if (decision.degraded()) {
        degraded.incrementAndGet();
        return;
      }
      (decision.allowed() ? granted : denied).incrementAndGet();
      long now = System.nanoTime();
      longestGapNanos.accumulateAndGet(now - lastExactNanos.getAndSet(now), Math::max);
    }

    long exact() {
      return granted.get() + denied.get();
    }
  }

  ClusterLoad(List<RedisStore> stores, List<String> keys, int burst, int callersEach) {
    this.burst = burst;
    keys.forEach(key -> buckets.put(key, new Bucket()));
    for (RedisStore store : stores) {
      RateLimiter limiter = RateLimiter.on(store, "load", Limit.perDay(1).burst(burst), CLOSED);
      for (int i = 0; i < callersEach; i++) {
        Thread caller = new Thread(() -> call(limiter), "caller");
        caller.setDaemon(true);
        callers.add(caller);
        caller.start();
      }
    }
  }

  private void call(RateLimiter limiter) {
    try {
      while (!stopped) {
        buckets.forEach(
            (key, bucket) -> {
              long start = System.nanoTime();
              bucket.note(limiter.take(key));
              tookNanos.add(System.nanoTime() - start);
            });
        LockSupport.parkNanos(1_000_000);
      }
    } catch (RuntimeException | Error failure) {
      failures.add(failure);
    }
  }

  private List<Bucket> of(Predicate<String> keys) {
    return buckets.entrySet().stream()
        .filter(entry -> keys.test(entry.getKey()))
        .map(Map.Entry::getValue)
        .toList();
  }

  /** Waits until Redis has decided so many further requests for each of the keys. */
  void awaitExact(String what, int more, Predicate<String> keys) {
    for (Bucket bucket : of(keys)) {
      long from = bucket.exact();
      await(what + failures).until(() -> bucket.exact() >= from + more || !failures.isEmpty());
    }
  }

  void awaitDegraded(int more, Predicate<String> keys) {
    for (Bucket bucket : of(keys)) {
      long from = bucket.degraded.get();
      await("degraded").until(() -> bucket.degraded.get() >= from + more);
    }
  }

  /** Waits until Redis has denied every key. */
  void awaitUsedUp() {
    for (Bucket bucket : of(key -> true)) {
      await("used up").until(() -> bucket.denied.get() > 0 || !failures.isEmpty());
    }
  }

  void awaitGranted(int each) {
    for (Bucket bucket : of(key -> true)) {
      await("granted").until(() -> bucket.granted.get() >= each || !failures.isEmpty());
    }
  }

  long minGranted() {
    return of(key -> true).stream().mapToLong(bucket -> bucket.granted.get()).min().orElse(0);
  }

  long degraded(Predicate<String> keys) {
    return of(keys).stream().mapToLong(bucket -> bucket.degraded.get()).sum();
  }

  /** The largest number of grants beyond the burst of a key. */
  long maxOverGranted() {
    return of(key -> true).stream()
        .mapToLong(bucket -> Math.max(0, bucket.granted.get() - burst))
        .max()
        .orElse(0);
  }

  /** The largest number of missing grants of a key. */
  long mostFalselyDenied() {
    return of(key -> true).stream()
        .mapToLong(bucket -> Math.max(0, burst - bucket.granted.get()))
        .max()
        .orElse(0);
  }

  long longestGapMillis(Predicate<String> keys) {
    return of(keys).stream().mapToLong(bucket -> bucket.longestGapNanos.get()).max().orElse(0)
        / 1_000_000;
  }

  void report(String what, Predicate<String> hit) {
    long[] took = tookNanos.stream().mapToLong(Long::longValue).sorted().toArray();
    System.out.printf(
        "%-44s keys hit: unavailable for %5d ms, %6d degraded; others: %5d ms, %4d degraded;"
            + " of %d a key: over-granted %d, falsely denied %d at most; 99%% took %.1f ms%n",
        what,
        longestGapMillis(hit),
        degraded(hit),
        longestGapMillis(hit.negate()),
        degraded(hit.negate()),
        burst,
        maxOverGranted(),
        mostFalselyDenied(),
        took.length == 0 ? 0 : took[took.length * 99 / 100] / 1e6);
  }

  /** Stops the callers; none may be stuck. */
  void stop() {
    stopped = true;
    for (Thread caller : callers) {
      try {
        caller.join(10_000);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      assertThat(caller.isAlive()).as("stuck").isFalse();
    }
    assertThat(failures).isEmpty();
  }

  @Override
  public void close() {
    stopped = true;
  }
}
