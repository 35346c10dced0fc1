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
  private TierLimits() {}

  /** One limiter for each different limit; none where all tiers have the same. */
  static List<RateLimiter> inForce(TierGroup group, List<Tier> tiers, Store store) {
    Map<String, Map<Limit, Rule>> limits = new LinkedHashMap<>();
    for (Tier tier : tiers) {
      if (tier.canBeEnforced()) {
        note(group, tier.rule(), Mode.ENFORCE, limits);
      }
      if (tier.canBeShadow()) {
        note(group, tier.rule(), Mode.SHADOW, limits);
      }
    }
    List<RateLimiter> inForce = new ArrayList<>();
    limits.forEach(
        (name, rules) -> {
          if (rules.size() > 1) {
            rules.forEach(
                (limit, rule) -> inForce.add(RateLimiter.on(store, name, limit, rule.handling())));
          }
        });
    return inForce;
  }

  private static void note(
      TierGroup group, Rule rule, Mode mode, Map<String, Map<Limit, Rule>> limits) {
    int[] ranks = BucketName.ranks(rule.limits());
    for (int i = 0; i < ranks.length; i++) {
      limits
          .computeIfAbsent(BucketName.of(group, ranks[i], mode), unused -> new LinkedHashMap<>())
          .putIfAbsent(rule.limits().get(i), rule);
    }
  }
}
