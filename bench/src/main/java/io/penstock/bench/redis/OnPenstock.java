package io.penstock.bench.redis;

import io.penstock.RateLimiter;
import io.penstock.StoreOptions;
import io.penstock.redis.RedisObserver;
import io.penstock.redis.RedisStore;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The Redis store with default settings, except for a long deadline, so that every decision comes
 * from Redis or from a lease. A degraded decision ends the run.
 */
final class OnPenstock implements SharedLimiter {
  private static final long CONNECT_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final RedisStore store;
  private final RateLimiter limiter;
  private volatile boolean degraded;

  OnPenstock(String url, RedisLimits limits, StoreOptions storeOptions) {
    this.store =
        RedisStore.builder()
            .deadline(Duration.ofMinutes(1))
            .observer(
                new RedisObserver() {
                  @Override
                  public void degraded(String name, Degradation reason) {
                    degraded = true;
                  }
                })
            .connect(url);
    awaitRedis();
    this.limiter = RateLimiter.on(store, "bench", limits.limit(), storeOptions);
  }

  /** Waits for the connection. The first attempt may fail on a busy machine; the store retries. */
  private void awaitRedis() {
    long startNanos = System.nanoTime();
    while (!store.isAvailable()) {
      if (System.nanoTime() - startNanos > CONNECT_TIMEOUT_NANOS) {
        store.close();
        throw new IllegalStateException("cannot connect to Redis within 30 s");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Override
  public boolean tryAcquire(String key) {
    boolean allowed = limiter.tryAcquire(key);
    if (degraded) {
      throw new IllegalStateException("a decision was degraded");
    }
    return allowed;
  }

  @Override
  public void close() {
    store.close();
  }
}
