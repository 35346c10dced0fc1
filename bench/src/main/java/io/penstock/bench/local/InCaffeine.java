package io.penstock.bench.local;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Limiters without keys, one for each key in a cache that forgets what nobody asks for and has a
 * bound, as it must where callers choose the keys.
 */
final class InCaffeine<L> implements KeyedLimiter {
  private final Cache<String, L> limiters;

  /** Made once: one made for each call would be allocated for each call. */
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
