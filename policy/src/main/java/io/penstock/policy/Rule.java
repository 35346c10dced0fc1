package io.penstock.policy;

import io.penstock.Limit;
import io.penstock.StoreOptions;
import io.penstock.TokenBucket;
import io.penstock.policy.path.PathSettings;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One rule of a policy: whom it limits, by how much, and what happens otherwise. Immutable.
 *
 * @param name unique in its policy
 * @param description for people
 * @param limitKeys what tells buckets apart; none for one bucket for all
 * @param match which requests it applies to
 * @param group the tiers it is put together with by hand
 * @param onMissingKey what becomes of requests without a part of the key; null for what each part
 *     suggests
 * @param onRepeatedKey what it makes of attributes that a request has more than once, in keys,
 *     match and cost alike
 * @param limits how much may pass, in the order written; none if it is unlimited
 * @param cost what a request costs
 * @param maxDelay how long a request may be held back rather than denied
 * @param storeOptions how its store is asked, and done without
 * @param refundOnUpstreamError whether a request that could not be sent to its origin gets its
 *     tokens back
 * @param rollout whether it binds, and for whom
 * @param scope a word for what it limits, such as {@code user}, that answers repeat
 */
public record Rule(
    String name,
    String description,
    List<KeyPart> limitKeys,
    Match match,
    @Nullable String group,
    @Nullable MissingKey onMissingKey,
    RepeatedKey onRepeatedKey,
    List<Limit> limits,
    Cost cost,
    Duration maxDelay,
    StoreOptions storeOptions,
    boolean refundOnUpstreamError,
    Rollout rollout,
    @Nullable String scope) {

  /**
   * Whether a rule binds, and for which share of its keys; the rest is as in shadow mode.
   *
   * @param enforcePercent from 0 to 100
   * @param manual whether it applies only where it is asked for by name
   */
  public record Rollout(Mode mode, int enforcePercent, boolean manual) {
    public static final Rollout ALL = new Rollout(Mode.ENFORCE, 100);

    /** For all requests that the rule matches. */
    public Rollout(Mode mode, int enforcePercent) {
      this(mode, enforcePercent, false);
    }

    public Rollout {
      if (enforcePercent < 0 || enforcePercent > 100) {
        throw new IllegalArgumentException(
            "enforce_percent must be from 0 to 100: " + enforcePercent);
      }
    }
  }

  public Rule {
    limitKeys = List.copyOf(limitKeys);
    limits = List.copyOf(limits);
    if (maxDelay.isNegative()) {
      throw new IllegalArgumentException("max_delay_ms must not be negative: " + maxDelay);
    }
    boolean ofBuckets = limits.stream().allMatch(TokenBucket.class::isInstance);
    if (!maxDelay.isZero() && !ofBuckets) {
      throw new IllegalArgumentException("on_limit: delay needs a token bucket: " + name);
    }
    if (refundOnUpstreamError && !ofBuckets) {
      throw new IllegalArgumentException("refund_on_upstream_error needs a token bucket: " + name);
    }
  }

  /** A rule without a scope that denies requests with repeated keys. */
  public Rule(
      String name,
      String description,
      List<KeyPart> limitKeys,
      Match match,
      @Nullable String group,
      @Nullable MissingKey onMissingKey,
      List<Limit> limits,
      Cost cost,
      Duration maxDelay,
      StoreOptions storeOptions,
      boolean refundOnUpstreamError,
      Rollout rollout) {
    this(
        name,
        description,
        limitKeys,
        match,
        group,
        onMissingKey,
        RepeatedKey.DENY,
        limits,
        cost,
        maxDelay,
        storeOptions,
        refundOnUpstreamError,
        rollout,
        null);
  }

  /** The same rule for paths that are made normal by {@code paths}. */
  public Rule under(PathSettings paths) {
    Match normal = match.under(paths);
    return normal.equals(match)
        ? this
        : new Rule(
            name,
            description,
            limitKeys,
            normal,
            group,
            onMissingKey,
            onRepeatedKey,
            limits,
            cost,
            maxDelay,
            storeOptions,
            refundOnUpstreamError,
            rollout,
            scope);
  }

  /** Whether it lets everything pass, to exempt some from the tiers after it. */
  public boolean isUnlimited() {
    return limits.isEmpty();
  }

  /** Whether it applies only where it is asked for by name. */
  public boolean isManual() {
    return rollout.manual();
  }

  /** Whether it can be applied only by who knows more of a request than HTTP says. */
  boolean needsStated() {
    Attribute costSource = cost.source();
    return (costSource != null && costSource.source() == Attribute.AttributeSource.STATED)
        || limitKeys.stream().anyMatch(KeyPart::isStated)
        || match.conditions().stream().anyMatch(condition -> condition.subject().isStated());
  }

  /** Whether a claim of a token tells whom it is about, or which bucket. */
  boolean needsClaims() {
    return limitKeys.stream().anyMatch(KeyPart::hasClaim)
        || match.conditions().stream().anyMatch(condition -> condition.subject().hasClaim());
  }

  /** The rules that it is a tier with. */
  public TierGroup tierGroup() {
    return TierGroup.of(this);
  }

  /** What becomes of a request that lacks {@code part}. */
  public MissingKey onMissing(KeyPart part) {
    if (onMissingKey != null) {
      return onMissingKey;
    }
    return part.isOmittable() ? MissingKey.SHARE : MissingKey.SKIP;
  }
}
