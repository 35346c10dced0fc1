package io.penstock.policy;

import io.penstock.Limit;
import io.penstock.StoreOptions;
import io.penstock.TokenBucket;
import io.penstock.policy.path.PathSettings;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rule of a policy: which requests it limits, by how much, and what happens to requests over the
 * limit. Immutable.
 *
 * @param name unique within the policy
 * @param description for people
 * @param limitKeys the attributes that select a bucket; empty if all requests share one bucket
 * @param match which requests the rule applies to
 * @param group the name of an explicit group of tiers
 * @param onMissingKey how requests without a part of the key are handled; null for the default of
 *     each part
 * @param onRepeatedKey how repeated attributes are handled in keys, conditions and costs
 * @param limits the limits in the order written; empty if the rule is unlimited
 * @param cost the cost of a request
 * @param maxDelay how long a request may be delayed instead of being denied
 * @param storeOptions the failure policy and consistency for the store
 * @param refundOnUpstreamError whether the tokens of a request that could not be sent to its origin
 *     are refunded
 * @param rollout whether the rule is enforced, and for which keys
 * @param scope a label for what the rule limits, such as {@code user}, that responses include
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
   * Whether a rule is enforced, and for which share of its keys. For all other keys, the rule is in
   * shadow mode.
   *
   * @param enforcePercent from 0 to 100
   * @param manual whether the rule applies only when it is requested by name
   */
  public record Rollout(Mode mode, int enforcePercent, boolean manual) {
    public static final Rollout ALL = new Rollout(Mode.ENFORCE, 100);

    /** Creates a rollout for all requests that the rule matches. */
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

  /** Creates a rule without a scope that denies requests with repeated keys. */
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

  /** Returns the rule with its path patterns normalized according to {@code paths}. */
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

  /**
   * Returns whether the rule has no limits, which exempts its requests from later tiers of the
   * group.
   */
  public boolean isUnlimited() {
    return limits.isEmpty();
  }

  /** Returns whether the rule applies only when it is requested by name. */
  public boolean isManual() {
    return rollout.manual();
  }

  /** Returns whether the rule refers to attributes that the caller has to supply. */
  boolean needsStated() {
    Attribute costSource = cost.source();
    return (costSource != null && costSource.source() == Attribute.AttributeSource.STATED)
        || limitKeys.stream().anyMatch(KeyPart::isStated)
        || match.conditions().stream().anyMatch(condition -> condition.subject().isStated());
  }

  /** Returns whether the keys or conditions of the rule refer to claims of a token. */
  boolean needsClaims() {
    return limitKeys.stream().anyMatch(KeyPart::hasClaim)
        || match.conditions().stream().anyMatch(condition -> condition.subject().hasClaim());
  }

  /** Returns the group of tiers that the rule belongs to. */
  public TierGroup tierGroup() {
    return TierGroup.of(this);
  }

  /** Returns how a request that lacks {@code part} is handled. */
  public MissingKey onMissing(KeyPart part) {
    if (onMissingKey != null) {
      return onMissingKey;
    }
    return part.isOmittable() ? MissingKey.SHARE : MissingKey.SKIP;
  }
}
