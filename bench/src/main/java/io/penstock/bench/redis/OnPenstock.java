package io.penstock.bench.redis;

import io.lettuce.core.RedisURI;
import io.penstock.RateLimiter;
import io.penstock.redis.RedisObserver;
import io.penstock.redis.RedisStore;
import java.time.Duration;

/**
 * Penstock's store as it comes, but with so long a deadline that each decision is Redis's: one that
 * is not ends the run.
 */
final class OnPenstock implements SharedLimiter {
  private final RedisStore store;
  private final RateLimiter limiter;
  private volatile boolean degraded;

  OnPenstock(String url, Terms terms) {
    this.store =
        RedisStore.builder()
            .deadline(Duration.ofMinutes(1))
            .startTimeout(Duration.ofMinutes(1))
            .observer(
                new RedisObserver() {
                  @Override
                  public void degraded(String name, Degradation why) {
                    degraded = true;
                  }
                })
            .connect(RedisURI.create(url));
    this.limiter = RateLimiter.on(store, "bench", terms.limit());
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
