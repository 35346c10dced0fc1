package io.penstock.policy;

import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.Store;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps the limits of all tiers of a group in force, whether their tiers are used yet or not.
 *
 * <p>A store forgives what a limit of the past lacks beyond the burst of the next. If a limit came
 * into force only with the first request of its tier, then after each reload the first request of a
 * smaller tier would have the debts of the larger one forgiven.
 */
final class TierLimits {
  /** Buckets of the group that have a name of their own. */
  private record Which(int rank, Mode mode) {}

  private TierLimits() {}

  /** One limiter for each different limit; none where all tiers have the same. */
  static List<RateLimiter> inForce(TierGroup group, List<Tier> tiers, Store store) {
    Map<Which, Map<Limit, Rule>> limits = new LinkedHashMap<>();
    for (Tier tier : tiers) {
      if (tier.canBeEnforced()) {
        note(tier.rule(), Mode.ENFORCE, limits);
      }
      if (tier.canBeShadow()) {
        note(tier.rule(), Mode.SHADOW, limits);
      }
    }
    List<RateLimiter> inForce = new ArrayList<>();
    limits.forEach(
        (which, rules) -> {
          if (rules.size() > 1) {
            String name = BucketName.of(group, which.rank, which.mode);
            rules.forEach(
                (limit, rule) ->
                    inForce.add(RateLimiter.on(store, name, limit, rule.storeOptions())));
          }
        });
    return inForce;
  }

  private static void note(Rule rule, Mode mode, Map<Which, Map<Limit, Rule>> limits) {
    int[] ranks = BucketName.ranks(rule.limits());
    for (int i = 0; i < ranks.length; i++) {
      limits
          .computeIfAbsent(new Which(ranks[i], mode), unused -> new LinkedHashMap<>())
          .putIfAbsent(rule.limits().get(i), rule);
    }
  }
}
