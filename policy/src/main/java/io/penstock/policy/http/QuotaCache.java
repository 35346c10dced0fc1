package io.penstock.policy.http;

import io.penstock.Limit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A cache of quotas. Thread-safe. A colliding entry replaces the previous one, so rules of former
 * policies are evicted over time.
 */
final class QuotaCache {
  private static final int SLOTS = 1 << 10;

  private final AtomicReferenceArray<@Nullable Quota> slots = new AtomicReferenceArray<>(SLOTS);

  /**
   * @param number the number of the limit within the rule, from 1; 0 for its only limit
   */
  Quota of(String rule, int number, Limit limit) {
    // The full limit is not hashed because hashing its rate is expensive.
    int hash = (rule.hashCode() + number) * 31 + Long.hashCode(limit.burstThousandths());
    int slot = (hash ^ (hash >>> 16)) & (SLOTS - 1);
    Quota cached = slots.getAcquire(slot);
    if (cached != null && cached.matches(rule, number, limit)) {
      return cached;
    }
    Quota quota = new Quota(rule, number, limit);
    slots.setRelease(slot, quota);
    return quota;
  }
}
