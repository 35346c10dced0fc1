package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Redis stalls for longer than a deadline, so that the local bucket decides some requests, and
 * Redis others that were sent or queued at the same time.
 */
class StalledRedisIT {
  private static final int BURST = 200;
  private static final int REQUESTS = 300;
  private static final Duration DEADLINE = Duration.ofMillis(500);

  private final RedisProcess redis = RedisProcess.start();
  private final RedisStore store =
      RedisStore.builder()
          .deadline(DEADLINE)
          .denialMemory(false)
          .connect(RedisURI.create(redis.url()));

  @AfterEach
  void stop() {
    store.close();
    redis.close();
  }

  private static List<CompletableFuture<Decision>> submitOne(RateLimiter limiter, int requests) {
    List<CompletableFuture<Decision>> pending = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      pending.add(limiter.takeAsync("k").toCompletableFuture());
    }
    return pending;
  }

  private static long allowed(List<CompletableFuture<Decision>> decisions) {
    return decisions.stream().filter(decision -> decision.join().allowed()).count();
  }

  /**
   * The first requests time out, and the local bucket decides them. Redis continues before the
   * others time out.
   *
   * @param inFlight the number of requests that are sent before the others, one by one
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 8, 100})
  void stall_requestsBeforeAndAfter_areGrantedTheLimitOnce(int inFlight) {
    stall(Limit.perDay(1).burst(BURST), inFlight);
  }

  /** Other windows don't decide requests in flight ahead. */
  @ParameterizedTest
  @ValueSource(ints = {1, 8, 100})
  void stall_fixedWindow_isGrantedTheLimitOnce(int inFlight) {
    stall(Limit.fixedWindow(BURST, Duration.ofDays(300)), inFlight);
  }

  private void stall(Limit limit, int inFlight) {
    RateLimiter limiter = RateLimiter.on(store, "x", limit);
    await("available").until(() -> !limiter.peek("k").degraded());
    // Makes the window large enough to pipeline calls.
    for (int i = 0; i < 20; i++) {
      RateLimiter other = RateLimiter.on(store, "other", Limit.perSecond(1_000_000));
      CompletableFuture.allOf(submit(other, 32).stream().toArray(CompletableFuture<?>[]::new))
          .join();
    }
    redis.freeze();
    List<CompletableFuture<Decision>> all = submitOne(limiter, inFlight);
    List<CompletableFuture<Decision>> first = submitOne(limiter, REQUESTS);
    all.addAll(first);
    await("half of the first deadline").during(DEADLINE.dividedBy(2)).until(() -> true);
    all.addAll(submitOne(limiter, REQUESTS));
    await("the local bucket decides").until(() -> first.get(REQUESTS - 1).isDone());
    redis.thaw();
    assertThat(allowed(all)).isLessThanOrEqualTo(BURST);
    await("available again").until(() -> !limiter.peek("other").degraded());
    long before = allowed(all);
    assertThat(before + allowed(submitOne(limiter, 2 * BURST))).isEqualTo(BURST);
  }

  private static List<CompletableFuture<Decision>> submit(RateLimiter limiter, int requests) {
    List<CompletableFuture<Decision>> pending = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      pending.add(limiter.takeAsync("key" + i).toCompletableFuture());
    }
    return pending;
  }
}
