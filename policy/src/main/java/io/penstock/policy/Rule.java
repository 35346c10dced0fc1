package io.penstock.policy;

import io.penstock.Consistency;
import io.penstock.FailurePolicy;
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

  /** Returns a builder for a rule that has the defaults of a policy file and no limits. */
  public static Builder builder(String name) {
    return new Builder(name);
  }

  /** Returns a builder for a copy of this rule. */
  public Builder toBuilder() {
    return new Builder(name)
        .description(description)
        .limitKeys(limitKeys)
        .match(match)
        .group(group)
        .onMissingKey(onMissingKey)
        .onRepeatedKey(onRepeatedKey)
        .limits(limits)
        .cost(cost)
        .maxDelay(maxDelay)
        .storeOptions(storeOptions)
        .refundOnUpstreamError(refundOnUpstreamError)
        .rollout(rollout)
        .scope(scope);
  }

  /** Returns the rule with its path patterns normalized according to {@code paths}. */
  public Rule under(PathSettings paths) {
    Match normal = match.under(paths);
    return normal.equals(match) ? this : toBuilder().match(normal).build();
  }

  /** Returns the rule with mapped bare names in its keys and conditions expanded. */
  public Rule under(AttributeMap attributes) {
    List<KeyPart> keys = limitKeys.stream().map(attributes::expand).toList();
    Match expanded = match.under(attributes);
    return keys.equals(limitKeys) && expanded.equals(match)
        ? this
        : toBuilder().limitKeys(keys).match(expanded).build();
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

  /** Builds a rule. Every field that is not set has its default. Not thread-safe. */
  public static final class Builder {
    private String name;
    private String description = "";
    private List<KeyPart> limitKeys = List.of();
    private Match match = Match.ANY;
    private @Nullable String group;
    private @Nullable MissingKey onMissingKey;
    private RepeatedKey onRepeatedKey = RepeatedKey.DENY;
    private List<Limit> limits = List.of();
    private Cost cost = Cost.ONE;
    private Duration maxDelay = Duration.ZERO;
    private FailurePolicy onStoreFailure = StoreOptions.DEFAULT.onFailure();
    private boolean share;
    private Consistency consistency = StoreOptions.DEFAULT.consistency();
    private boolean refundOnUpstreamError;
    private Mode mode = Rollout.ALL.mode();
    private int enforcePercent = Rollout.ALL.enforcePercent();
    private boolean manual = Rollout.ALL.manual();
    private @Nullable String scope;

    private Builder(String name) {
      this.name = name;
    }

    public Builder name(String name) {
      this.name = name;
      return this;
    }

    public Builder description(String description) {
      this.description = description;
      return this;
    }

    public Builder limitKeys(List<KeyPart> limitKeys) {
      this.limitKeys = limitKeys;
      return this;
    }

    public Builder match(Match match) {
      this.match = match;
      return this;
    }

    public Builder group(@Nullable String group) {
      this.group = group;
      return this;
    }

    public Builder onMissingKey(@Nullable MissingKey onMissingKey) {
      this.onMissingKey = onMissingKey;
      return this;
    }

    public Builder onRepeatedKey(RepeatedKey onRepeatedKey) {
      this.onRepeatedKey = onRepeatedKey;
      return this;
    }

    public Builder limits(List<? extends Limit> limits) {
      this.limits = List.copyOf(limits);
      return this;
    }

    public Builder cost(Cost cost) {
      this.cost = cost;
      return this;
    }

    public Builder maxDelay(Duration maxDelay) {
      this.maxDelay = maxDelay;
      return this;
    }

    public Builder storeOptions(StoreOptions storeOptions) {
      return onStoreFailure(storeOptions.onFailure()).consistency(storeOptions.consistency());
    }

    public Builder onStoreFailure(FailurePolicy onStoreFailure) {
      this.onStoreFailure = onStoreFailure;
      return this;
    }

    /** Whether local decisions use this node's share of the limit instead of the full limit. */
    public Builder share(boolean share) {
      this.share = share;
      return this;
    }

    public Builder consistency(Consistency consistency) {
      this.consistency = consistency;
      return this;
    }

    public Builder refundOnUpstreamError(boolean refundOnUpstreamError) {
      this.refundOnUpstreamError = refundOnUpstreamError;
      return this;
    }

    public Builder rollout(Rollout rollout) {
      return mode(rollout.mode()).enforcePercent(rollout.enforcePercent()).manual(rollout.manual());
    }

    public Builder mode(Mode mode) {
      this.mode = mode;
      return this;
    }

    public Builder enforcePercent(int enforcePercent) {
      this.enforcePercent = enforcePercent;
      return this;
    }

    public Builder manual(boolean manual) {
      this.manual = manual;
      return this;
    }

    public Builder scope(@Nullable String scope) {
      this.scope = scope;
      return this;
    }

    public Rule build() {
      return new Rule(
          name,
          description,
          limitKeys,
          match,
          group,
          onMissingKey,
          onRepeatedKey,
          limits,
          cost,
          maxDelay,
          new StoreOptions(
              share && onStoreFailure == FailurePolicy.LOCAL
                  ? FailurePolicy.LOCAL_SHARE
                  : onStoreFailure,
              consistency),
          refundOnUpstreamError,
          new Rollout(mode, enforcePercent, manual),
          scope);
    }
  }
}
