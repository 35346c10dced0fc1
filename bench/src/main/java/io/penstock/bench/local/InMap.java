package io.penstock.bench.local;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.Predicate;

/** Keeps a limiter for each key in a map. */
final class InMap<L> implements KeyedLimiter {
  private final ConcurrentMap<String, L> limiters = new ConcurrentHashMap<>();

  /** Created once, to avoid an allocation per call. */
  private final Function<String, L> create;

  private final Predicate<L> acquire;

  InMap(Function<String, L> create, Predicate<L> acquire) {
    this.create = create;
    this.acquire = acquire;
  }

  @Override
  public boolean tryAcquire(String key) {
    return acquire.test(limiters.computeIfAbsent(key, create));
  }

  @Override
  public long keys() {
    return limiters.size();
  }
}
