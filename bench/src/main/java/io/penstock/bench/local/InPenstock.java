package io.penstock.bench.local;

import io.penstock.RateLimiter;
import io.penstock.inprocess.InProcessStore;

/** Penstock with its own store. */
final class InPenstock implements KeyedLimiter {
  private final InProcessStore store;
  private final RateLimiter limiter;

  InPenstock(LocalLimits limits, long maxKeys) {
    this.store = InProcessStore.builder().maxKeys(maxKeys).build();
    this.limiter = RateLimiter.on(store, "bench", limits.limit());
  }

  @Override
  public boolean tryAcquire(String key) {
    return limiter.tryAcquire(key);
  }

  @Override
  public long keys() {
    return store.keys();
  }
}
