package io.penstock.bench.redis;

import io.penstock.Consistency;
import io.penstock.FailurePolicy;
import io.penstock.RateLimiter;
import io.penstock.StoreOptions;
import io.penstock.redis.RedisObserver;
import io.penstock.redis.RedisStore;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Penstock's store as it comes, but with so long a deadline that each decision is Redis's, or from
 * a lease: one that is not ends the run.
 */
final class OnPenstock implements SharedLimiter {
  private static final long START_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final RedisStore store;
  private final RateLimiter limiter;
  private volatile boolean degraded;

  OnPenstock(String url, Terms terms, Consistency consistency) {
    this.store =
        RedisStore.builder()
            .deadline(Duration.ofMinutes(1))
            .observer(
                new RedisObserver() {
                  @Override
                  public void degraded(String name, Degradation why) {
                    degraded = true;
                  }
                })
            .connect(url);
    awaitRedis();
    StoreOptions storeOptions = new StoreOptions(FailurePolicy.OPEN, consistency);
    this.limiter = RateLimiter.on(store, "bench", terms.limit(), storeOptions);
  }

  /** A first attempt to reach Redis may fail on a busy machine; the store goes on trying. */
  private void awaitRedis() {
    long begun = System.nanoTime();
    while (!store.isAvailable()) {
      if (System.nanoTime() - begun > START_NANOS) {
        store.close();
        throw new IllegalStateException("Redis could not be reached");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Override
  public boolean tryAcquire(String key) {
    boolean allowed = limiter.tryAcquire(key);
    if (degraded) {
      throw new IllegalStateException("a decision was not Redis's");
    }
    return allowed;
  }

  @Override
  public void close() {
    store.close();
  }
}
