package io.penstock.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.GlobalLimiter;
import io.penstock.JointRequest;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Many callers at once, at one instant of the store's time. */
interface ConcurrencyContract extends StoreUnderTest {
  int THREADS = 8;
  int CALLS = 40;

  /** Calls {@code request} from all threads; returns how often it returned true. */
  private static int countAllowed(BooleanSupplier request) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<Integer>> counts = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        counts.add(
            threads.submit(
                () -> {
                  int allowed = 0;
                  for (int call = 0; call < CALLS; call++) {
                    allowed += request.getAsBoolean() ? 1 : 0;
                  }
                  return allowed;
                }));
      }
      int sum = 0;
      for (Future<Integer> count : counts) {
        sum += count.get(60, TimeUnit.SECONDS);
      }
      return sum;
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  default void tryAcquire_manyThreads_grantExactlyTheBurst() throws Exception {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perDay(1).burst(100));
    assertThat(countAllowed(() -> limiter.tryAcquire("k"))).isEqualTo(100);
  }

  @Test
  default void take_manyThreadsWithCosts_grantExactlyWhatFits() throws Exception {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perDay(1).burst(100));
    assertThat(countAllowed(() -> limiter.take("k", 3).allowed())).isEqualTo(33);
    assertThat(limiter.peek("k").remaining()).isEqualTo(1);
  }

  @Test
  default void takeAsync_manyInFlight_grantExactlyTheBurst() throws Exception {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perDay(1).burst(100));
    List<CompletableFuture<Decision>> requests = new ArrayList<>();
    for (int i = 0; i < THREADS * CALLS; i++) {
      requests.add(limiter.takeAsync("k").toCompletableFuture());
    }
    int allowed = 0;
    for (CompletableFuture<Decision> request : requests) {
      allowed += request.get(60, TimeUnit.SECONDS).allowed() ? 1 : 0;
    }
    assertThat(allowed).isEqualTo(100);
  }

  @Test
  default void global_manyThreads_grantExactlyTheBurst() throws Exception {
    GlobalLimiter global = RateLimiter.on(store(), "global", Limit.perDay(1).burst(100)).global();
    assertThat(countAllowed(global::tryAcquire)).isEqualTo(100);
  }

  @Test
  default void window_manyThreads_grantExactlyTheLimit() throws Exception {
    RateLimiter log = RateLimiter.on(store(), "c", Limit.slidingLog(100, Duration.ofDays(1)));
    assertThat(countAllowed(() -> log.tryAcquire("k"))).isEqualTo(100);
  }

  @Test
  default void all_manyThreads_takeFromBothOrNone() throws Exception {
    Store store = store();
    RateLimiter tight = RateLimiter.on(store, "tight", Limit.perDay(1).burst(50));
    RateLimiter loose = RateLimiter.on(store, "loose", Limit.perDay(1).burst(1_000));
    JointRequest request = RateLimiter.all(loose.at("k"), tight.at("k"));
    assertThat(countAllowed(request::tryAcquire)).isEqualTo(50);
    assertThat(loose.peek("k").remaining()).isEqualTo(950);
  }

  @Test
  default void chargeAndRefund_manyThreads_balance() throws Exception {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perDay(1).burst(1_000));
    limiter.take("k", 500);
    countAllowed(
        () -> {
          limiter.charge("k", 10);
          limiter.refund("k", 10);
          return true;
        });
    assertThat(limiter.peek("k").remaining()).isEqualTo(500);
  }
}
