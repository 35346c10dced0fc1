package io.penstock.policy;

import io.penstock.Claim;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.Store;
import io.penstock.WindowLimit;
import io.penstock.policy.Condition.Fit;
import java.util.ArrayList;
import java.util.List;
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
  private final Match who;
  private final @Nullable RepeatedKey onRepeated;
  private final long maxDelayNanos;
  private final Cost cost;
  private volatile @Nullable Limiters enforced;
  private volatile @Nullable Limiters shadowed;
  private boolean retired;

  Tier(Rule rule, int position, TierGroup group, Store store) {
    this.rule = rule;
    this.position = position;
    this.group = group;
    this.store = store;
    this.salt = rule.rollout().enforcePercent() == ALL ? "" : BucketName.of(group, 0, Mode.ENFORCE);
    this.who = group.name() == null ? rule.match().besidesPlaces() : rule.match();
    // A rule without limits denies nobody: it takes only what is its own for sure.
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

  /** Where the rule stands in its policy. */
  int position() {
    return position;
  }

  /** What the rule wants of a request that is in the places of its group. */
  Match who() {
    return who;
  }

  /** Whether the rule is about a request that is in the places of its group. */
  Fit fit(Request request) {
    return who.fit(request, onRepeated);
  }

  /** Whether the rule is enforced for an unknown key, which is when it is enforced for any key. */
  Mode modeOfUnknownKey() {
    return canBeEnforced() ? Mode.ENFORCE : Mode.SHADOW;
  }

  /** Whether the rule may be about a request whose claims can't be verified. */
  boolean mayAccept(Request request) {
    return who.mayAccept(request);
  }

  /** Whether the rule binds for this key, by its own word. */
  Mode mode(String key) {
    Rule.Rollout rollout = rule.rollout();
    if (rollout.mode() != Mode.ENFORCE || rollout.enforcePercent() == ALL) {
      return rollout.mode();
    }
    long share = Long.remainderUnsigned(StableHash.of(salt, key), 100);
    return share < rollout.enforcePercent() ? Mode.ENFORCE : Mode.SHADOW;
  }

  /** Whether it could bind for some key. */
  boolean canBeEnforced() {
    return rule.rollout().mode() == Mode.ENFORCE && rule.rollout().enforcePercent() > 0;
  }

  /** Whether it could be a shadow for some key. */
  boolean canBeShadow() {
    return rule.rollout().mode() == Mode.SHADOW || rule.rollout().enforcePercent() < ALL;
  }

  long cost(Request request) {
    return cost.of(request, rule.onRepeatedKey());
  }

  /** Adds what a request claims of the buckets at {@code key}, one for each limit of the rule. */
  void claim(String key, long thousandths, Mode mode, List<Claim> claims) {
    Limiters limiters = limiters(mode);
    if (limiters.usual != null && thousandths == cost.fallback()) {
      for (int i = 0; i < limiters.usual.size(); i++) {
        claims.add(limiters.usual.get(i));
      }
      return;
    }
    for (int i = 0; i < limiters.each.size(); i++) {
      claims.add(claim(limiters.each.get(i), key, thousandths));
    }
  }

  /** What a request claims of the bucket at {@code key}, of a rule with one limit. */
  Claim claim(String key, long thousandths, Mode mode) {
    Limiters limiters = limiters(mode);
    return limiters.usual != null && thousandths == cost.fallback()
        ? limiters.usual.get(0)
        : claim(limiters.each.get(0), key, thousandths);
  }

  private Claim claim(RateLimiter limiter, String key, long thousandths) {
    return new Claim(limiter, key, countable(limiter.limit(), thousandths), maxDelayNanos);
  }

  /** A log counts whole tokens only: a started one counts. */
  private static long countable(Limit limit, long thousandths) {
    boolean whole =
        limit instanceof WindowLimit window
            && window.kind() == WindowLimit.Counting.SLIDING_WINDOW_LOG;
    long started = whole ? thousandths % TOKEN : 0;
    long more = started == 0 || thousandths > Long.MAX_VALUE - TOKEN ? 0 : TOKEN;
    return thousandths - started + more;
  }

  private Limiters limiters(Mode mode) {
    Limiters made = mode == Mode.SHADOW ? shadowed : enforced;
    return made == null ? make(mode) : made;
  }

  private synchronized Limiters make(Mode mode) {
    Limiters made = mode == Mode.SHADOW ? shadowed : enforced;
    if (made == null) {
      List<RateLimiter> each = new ArrayList<>();
      int[] ranks = BucketName.ranks(rule.limits());
      for (int i = 0; i < rule.limits().size(); i++) {
        String name = BucketName.of(group, ranks[i], mode);
        each.add(RateLimiter.on(store, name, rule.limits().get(i), rule.storeOptions()));
      }
      made = new Limiters(each, rule.limitKeys().isEmpty() ? usual(each) : null);
      if (retired) {
        // A request that began under this policy goes on, without keeping its limits in force.
        retire(made);
      }
      if (mode == Mode.SHADOW) {
        shadowed = made;
      } else {
        enforced = made;
      }
    }
    return made;
  }

  private List<Claim> usual(List<RateLimiter> limiters) {
    return limiters.stream().map(limiter -> claim(limiter, "", cost.fallback())).toList();
  }

  /** Takes the rule's limits out of force. */
  synchronized void retire() {
    if (!retired) {
      retired = true;
      retire(enforced);
      retire(shadowed);
    }
  }

  private static void retire(@Nullable Limiters limiters) {
    if (limiters != null) {
      for (RateLimiter limiter : limiters.each) {
        limiter.retire();
      }
    }
  }

  /**
   * One for each limit of the rule.
   *
   * @param usual of a rule with one bucket for all, what nearly every request claims
   */
  private record Limiters(List<RateLimiter> each, @Nullable List<Claim> usual) {}
}
