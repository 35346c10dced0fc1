package io.penstock.inprocess;

import io.penstock.TokenBucket;
import io.penstock.algorithm.Bucket;
import io.penstock.algorithm.Bucket.TakeResult;
import io.penstock.algorithm.FixedPointRate;
import java.util.HashMap;
import java.util.Map;

/**
 * A sequential model of a keyed limiter on the pure function, which the real one must agree with.
 */
final class ModelLimiter {
  private final Map<String, Entry> entries = new HashMap<>();
  private FixedPointRate fixedRate;
  private long reach;

  private record Entry(Bucket bucket, FixedPointRate fixedRate) {}

  ModelLimiter(TokenBucket limit) {
    this.fixedRate = FixedPointRate.of(limit, 1);
  }

  void replaceLimit(TokenBucket limit) {
    fixedRate = FixedPointRate.of(limit, 1);
  }

  FixedPointRate fixedRate() {
    return fixedRate;
  }

  /** The result of a request; {@link #commit} applies it. */
  TakeResult ask(String key, long now, long cost, long maxDelay) {
    return bucket(key, now).take(fixedRate, now, cost, maxDelay, reach);
  }

  void commit(String key, long now, Bucket next) {
    entries.put(key, new Entry(next, fixedRate));
    reach =
        Math.max(
            reach, fixedRate.ticks(next.debt(fixedRate, now, Long.MAX_VALUE) - fixedRate.burst()));
  }

  TakeResult take(String key, long now, long cost, long maxDelay) {
    TakeResult verdict = ask(key, now, cost, maxDelay);
    if (cost > 0 && !verdict.neverAllowed()) {
      commit(key, now, verdict.next());
    }
    return verdict;
  }

  /** Converts the debt of a key to the active limit, as every operation except a peek does. */
  void touch(String key, long now) {
    if (entries.containsKey(key)) {
      entries.put(key, new Entry(bucket(key, now), fixedRate));
    }
  }

  void charge(String key, long now, long cost) {
    if (cost == 0) {
      return;
    }
    commit(key, now, bucket(key, now).charge(fixedRate, now, cost, reach));
  }

  void refund(String key, long now, long cost) {
    if (cost == 0) {
      return;
    }
    commit(key, now, bucket(key, now).refund(fixedRate, now, cost, reach));
  }

  void reset(String key) {
    entries.remove(key);
  }

  private Bucket bucket(String key, long now) {
    Entry entry = entries.get(key);
    if (entry == null) {
      return Bucket.full(now);
    }
    return entry.fixedRate.equals(fixedRate)
        ? entry.bucket
        : entry.bucket.under(fixedRate, entry.fixedRate, now, reach);
  }
}
