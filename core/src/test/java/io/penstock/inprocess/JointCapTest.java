package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** P7: requests over several buckets stay within the cap as well, at every instant. */
class JointCapTest {
  private static final int THREADS = 8;
  private static final int REQUESTS = 2_000;
  private static final Duration DAY = Duration.ofDays(1);

  private interface Request {
    boolean tryAcquire(String key);
  }

  @Test
  void tryAcquire_jointRequestsOverTokenBuckets_stayWithinTheCap() throws Exception {
    InProcessStore store = store(THREADS);
    RateLimiter first = RateLimiter.on(store, "first", Limit.perDay(1).burst(2));
    RateLimiter second = RateLimiter.on(store, "second", Limit.perDay(1).burst(2));
    flood(
        store,
        THREADS,
        key -> RateLimiter.all(first.at(key), second.at(key), second.at(key + "-2")).tryAcquire());
  }

  @Test
  void tryAcquire_jointRequestsOverWindows_stayWithinTheCap() throws Exception {
    InProcessStore store = store(THREADS);
    RateLimiter first = RateLimiter.on(store, "first", Limit.fixedWindow(2, DAY));
    RateLimiter second = RateLimiter.on(store, "second", Limit.slidingLog(2, DAY));
    flood(
        store,
        THREADS,
        key -> RateLimiter.all(first.at(key), second.at(key), second.at(key + "-2")).tryAcquire());
  }

  @Test
  void tryAcquire_requestsThatFillTheStoreAlone_stayWithinTheCap() throws Exception {
    InProcessStore store = store(2);
    RateLimiter buckets = RateLimiter.on(store, "buckets", Limit.perDay(1).burst(2));
    RateLimiter windows = RateLimiter.on(store, "windows", Limit.fixedWindow(2, DAY));
    flood(
        store,
        2,
        key ->
            key.hashCode() % 3 == 0
                ? buckets.tryAcquire(key)
                : RateLimiter.all(buckets.at(key), windows.at(key)).tryAcquire());
  }

  @Test
  void tryAcquire_moreBucketsThanTheStoreKeeps_exceedsTheCapByTheDifferenceOnly() throws Exception {
    InProcessStore store = store(2);
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perDay(1).burst(2));
    flood(
        store,
        5,
        key ->
            RateLimiter.all(
                    limiter.at(key),
                    limiter.at(key + "-2"),
                    limiter.at(key + "-3"),
                    limiter.at(key + "-4"),
                    limiter.at(key + "-5"))
                .tryAcquire());
  }

  private static InProcessStore store(long maxKeys) {
    return InProcessStore.builder()
        .clock(new ManualClock())
        .hash(new SipHash(3, 4))
        .maxKeys(maxKeys)
        .build();
  }

  private static void flood(InProcessStore store, long mostKeys, Request request) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        int thread = t;
        running.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < REQUESTS; i++) {
                    assertThat(request.tryAcquire(thread + "-" + i)).isTrue();
                    assertThat(store.keys()).isLessThanOrEqualTo(mostKeys);
                  }
                }));
      }
      for (Future<?> thread : running) {
        thread.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
