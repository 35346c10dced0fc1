package io.penstock.policy;

import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.Store;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps the limits of all tiers of a group active, even before their tiers are used.
 *
 * <p>When a limit replaces a retired one, the store forgives the debt that exceeds the burst of the
 * new limit. If limits became active only with the first request of their tier, the first request
 * of a smaller tier after each reload would forgive the debt of the larger one.
 */
final class TierLimits {
  /** A set of buckets of the group that share a name. */
  private record BucketSet(int rank, Mode mode) {}

  private TierLimits() {}

  /** Creates one limiter for each different limit; none if all tiers have the same limit. */
  static List<RateLimiter> activeLimiters(TierGroup group, List<Tier> tiers, Store store) {
    Map<BucketSet, Map<Limit, Rule>> limits = new LinkedHashMap<>();
    for (Tier tier : tiers) {
      if (tier.canBeEnforced()) {
        collect(tier.rule(), Mode.ENFORCE, limits);
      }
      if (tier.canBeShadow()) {
        collect(tier.rule(), Mode.SHADOW, limits);
      }
    }
    List<RateLimiter> activeLimiters = new ArrayList<>();
    limits.forEach(
        (buckets, rules) -> {
          if (rules.size() > 1) {
            String name = BucketName.of(group, buckets.rank, buckets.mode);
            rules.forEach(
                (limit, rule) ->
                    activeLimiters.add(RateLimiter.on(store, name, limit, rule.storeOptions())));
          }
        });
    return activeLimiters;
  }

  private static void collect(Rule rule, Mode mode, Map<BucketSet, Map<Limit, Rule>> limits) {
    int[] ranks = BucketName.ranks(rule.limits());
    for (int i = 0; i < ranks.length; i++) {
      limits
          .computeIfAbsent(new BucketSet(ranks[i], mode), unused -> new LinkedHashMap<>())
          .putIfAbsent(rule.limits().get(i), rule);
    }
  }
}
