package io.penstock.bench.local;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Keeps a limiter for each key in a cache with a maximum size and expiration of unused entries,
 * which is necessary where callers choose the keys.
 */
final class InCaffeine<L> implements KeyedLimiter {
  private final Cache<String, L> limiters;

  /** Created once, to avoid an allocation per call. */
  private final Function<String, L> create;

  private final Predicate<L> acquire;

  InCaffeine(long maxKeys, Function<String, L> create, Predicate<L> acquire) {
    this.limiters =
        Caffeine.newBuilder().maximumSize(maxKeys).expireAfterAccess(Duration.ofHours(1)).build();
    this.create = create;
    this.acquire = acquire;
  }

  @Override
  public boolean tryAcquire(String key) {
    return acquire.test(limiters.get(key, create));
  }

  @Override
  public long keys() {
    limiters.cleanUp();
    return limiters.estimatedSize();
  }
}
