package io.penstock.policy;

import io.penstock.Claim;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.Store;
import io.penstock.TokenBucket;
import io.penstock.WindowLimit;
import io.penstock.policy.Condition.Fit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A rule with the limiters of its buckets in a store. Thread-safe. */
final class Tier {
  private static final long TOKEN = 1_000;
  private static final int ALL = 100;

  private final Rule rule;
  private final int position;
  private final TierGroup group;
  private final Store store;
  private final String salt;
  private final Match tierMatch;
  private final @Nullable RepeatedKey onRepeated;
  private final long maxDelayNanos;
  private final Cost cost;
  private volatile @Nullable TierLimiters enforced;
  private volatile @Nullable TierLimiters shadowed;

  /** The tiers of the keys whose limits are overridden; almost always empty. */
  private volatile Map<String, Tier> overridden = Map.of();

  private boolean retired;

  Tier(Rule rule, int position, TierGroup group, Store store) {
    this.rule = rule;
    this.position = position;
    this.group = group;
    this.store = store;
    this.salt = rule.rollout().enforcePercent() == ALL ? "" : BucketName.of(group, 0, Mode.ENFORCE);
    this.tierMatch = group.name() == null ? rule.match().withoutRoute() : rule.match();
    // A rule without limits denies no request, so it applies only if every value matches.
    this.onRepeated =
        rule.isUnlimited() && rule.onRepeatedKey() == RepeatedKey.DENY
            ? null
            : rule.onRepeatedKey();
    this.maxDelayNanos = rule.maxDelay().toNanos();
    this.cost = rule.cost();
  }

  Rule rule() {
    return rule;
  }

  /** Returns the position of the rule in its policy. */
  int position() {
    return position;
  }

  /** Returns the conditions that remain to be tested for a request on the route of the group. */
  Match tierMatch() {
    return tierMatch;
  }

  /** Tests a request on the route of the group. */
  Fit fit(Request request) {
    return tierMatch.fit(request, onRepeated);
  }

  /** Returns the mode for an unknown key: enforced if the rule is enforced for any key. */
  Mode modeOfUnknownKey() {
    return canBeEnforced() ? Mode.ENFORCE : Mode.SHADOW;
  }

  /** Returns whether the rule may apply to a request whose claims cannot be verified. */
  boolean mayAccept(Request request) {
    return tierMatch.mayAccept(request);
  }

  /** Returns the mode of the rule for this key, without overrides. */
  Mode mode(String key) {
    Rule.Rollout rollout = rule.rollout();
    if (rollout.mode() != Mode.ENFORCE || rollout.enforcePercent() == ALL) {
      return rollout.mode();
    }
    long share = Long.remainderUnsigned(StableHash.of(salt, key), 100);
    return share < rollout.enforcePercent() ? Mode.ENFORCE : Mode.SHADOW;
  }

  /** Returns whether the rule is enforced for any key. */
  boolean canBeEnforced() {
    return rule.rollout().mode() == Mode.ENFORCE && rule.rollout().enforcePercent() > 0;
  }

  /** Returns whether the rule is in shadow mode for any key. */
  boolean canBeShadow() {
    return rule.rollout().mode() == Mode.SHADOW || rule.rollout().enforcePercent() < ALL;
  }

  /** Returns the tier that applies to a key: this one, unless the limits are overridden for it. */
  Tier of(String key) {
    Map<String, Tier> tiers = overridden;
    return tiers.isEmpty() ? this : tiers.getOrDefault(key, this);
  }

  /**
   * Overrides the limits for one key by a single one; null ends the override. Both have the same
   * buckets, so what the key has consumed stays consumed.
   */
  synchronized void override(String key, @Nullable TokenBucket limit) {
    Map<String, Tier> tiers = new HashMap<>(overridden);
    Tier before = tiers.remove(key);
    if (limit != null && !retired) {
      // An inactive limit would forgive the debt that exceeds the burst of the override.
      TierLimiters unused = limiters(mode(key));
      Rule changed = rule.toBuilder().limits(List.of(limit)).build();
      tiers.put(key, new Tier(changed, position, group, store));
    }
    overridden = Map.copyOf(tiers);
    if (before != null) {
      before.retire();
    }
  }

  long cost(Request request) {
    return cost.of(request, rule.onRepeatedKey());
  }

  /** Adds the claims on the buckets of {@code key}, one for each limit of the rule. */
  void claim(String key, long thousandths, Mode mode, List<Claim> claims) {
    TierLimiters limiters = limiters(mode);
    if (limiters.defaultClaims != null && thousandths == cost.fallbackThousandths()) {
      for (int i = 0; i < limiters.defaultClaims.size(); i++) {
        claims.add(limiters.defaultClaims.get(i));
      }
      return;
    }
    for (int i = 0; i < limiters.each.size(); i++) {
      claims.add(claim(limiters.each.get(i), key, thousandths));
    }
  }

  /** Returns the claim on the bucket of {@code key}, for a rule with one limit. */
  Claim claim(String key, long thousandths, Mode mode) {
    TierLimiters limiters = limiters(mode);
    return limiters.defaultClaims != null && thousandths == cost.fallbackThousandths()
        ? limiters.defaultClaims.get(0)
        : claim(limiters.each.get(0), key, thousandths);
  }

  private Claim claim(RateLimiter limiter, String key, long thousandths) {
    return new Claim(limiter, key, roundUpForLog(limiter.limit(), thousandths), maxDelayNanos);
  }

  /** Rounds the cost up to whole tokens for sliding logs, which count only those. */
  private static long roundUpForLog(Limit limit, long thousandths) {
    boolean whole =
        limit instanceof WindowLimit window
            && window.kind() == WindowLimit.Counting.SLIDING_WINDOW_LOG;
    long remainder = whole ? thousandths % TOKEN : 0;
    long increment = remainder == 0 || thousandths > Long.MAX_VALUE - TOKEN ? 0 : TOKEN;
    return thousandths - remainder + increment;
  }

  private TierLimiters limiters(Mode mode) {
    TierLimiters result = mode == Mode.SHADOW ? shadowed : enforced;
    return result == null ? create(mode) : result;
  }

  private synchronized TierLimiters create(Mode mode) {
    TierLimiters result = mode == Mode.SHADOW ? shadowed : enforced;
    if (result == null) {
      List<RateLimiter> each = new ArrayList<>();
      int[] ranks = BucketName.ranks(rule.limits());
      for (int i = 0; i < rule.limits().size(); i++) {
        String name = BucketName.of(group, ranks[i], mode);
        each.add(RateLimiter.on(store, name, rule.limits().get(i), rule.storeOptions()));
      }
      result = new TierLimiters(each, rule.limitKeys().isEmpty() ? defaultClaims(each) : null);
      if (retired) {
        // A request that started under this policy may still finish, but must not keep its limits
        // active.
        retire(result);
      }
      if (mode == Mode.SHADOW) {
        shadowed = result;
      } else {
        enforced = result;
      }
    }
    return result;
  }

  private List<Claim> defaultClaims(List<RateLimiter> limiters) {
    return limiters.stream()
        .map(limiter -> claim(limiter, "", cost.fallbackThousandths()))
        .toList();
  }

  /** Retires the limits of the rule. */
  synchronized void retire() {
    if (!retired) {
      retired = true;
      retire(enforced);
      retire(shadowed);
      overridden.values().forEach(Tier::retire);
    }
  }

  private static void retire(@Nullable TierLimiters limiters) {
    if (limiters != null) {
      for (RateLimiter limiter : limiters.each) {
        limiter.retire();
      }
    }
  }

  /**
   * The limiters of the rule, one for each limit.
   *
   * @param defaultClaims the claims of nearly every request, if the rule has one bucket for all
   *     requests; otherwise null
   */
  private record TierLimiters(List<RateLimiter> each, @Nullable List<Claim> defaultClaims) {}
}
