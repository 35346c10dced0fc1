package io.penstock.policy.http;

import io.penstock.Limit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Quotas that were worked out before. Thread-safe. Of two that fall into one place the later one
 * stays, so that rules of former policies go away by themselves.
 */
final class QuotaCache {
  private static final int PLACES = 1 << 10;

  private final AtomicReferenceArray<@Nullable Quota> places = new AtomicReferenceArray<>(PLACES);

  /**
   * @param number which of the limits of the rule, from 1; 0 for its only one
   */
  Quota of(String rule, int number, Limit limit) {
    // Not the whole limit, whose rate is expensive to hash.
    int hash = (rule.hashCode() + number) * 31 + Long.hashCode(limit.burstThousandths());
    int place = (hash ^ (hash >>> 16)) & (PLACES - 1);
    Quota known = places.getAcquire(place);
    if (known != null && known.isOf(rule, number, limit)) {
      return known;
    }
    Quota quota = new Quota(rule, number, limit);
    places.setRelease(place, quota);
    return quota;
  }
}
