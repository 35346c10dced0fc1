package io.penstock.policy;

import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.Reason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rule that applies to a request, with its key and cost. Valid until its {@link Selection} is
 * reused for another request.
 */
final class SelectedRule {
  /** The retry hint while token keys are unavailable. */
  private static final long RETRY_NANOS = 1_000_000_000;

  private @Nullable Tier tier;
  private Mode ownMode = Mode.OFF;
  private Mode mode = Mode.OFF;
  private String key = "";
  private long cost;
  private @Nullable Decision decision;
  private boolean decidedWithoutStore;
  private boolean unverified;
  private boolean alternative;
  private @Nullable Decision withdrawn;

  void set(Tier tier, Mode ownMode, Mode mode, String key, long cost) {
    this.tier = tier;
    this.ownMode = ownMode;
    this.mode = mode;
    this.key = key;
    this.cost = cost;
    this.decision = null;
    this.decidedWithoutStore = false;
    this.unverified = false;
    this.alternative = false;
    this.withdrawn = null;
  }

  /** Denies the request because it lacks a part of the key that the rule requires. */
  void deny() {
    decideWithoutStore(Decision.deny(tier().rule().name(), limit(), Reason.MISSING_KEY));
  }

  /** Marks the outcome as degraded: with verified claims, another rule might have applied. */
  void markUnverified() {
    unverified = true;
  }

  /** Applies the failure policy of the rule because claims of the request cannot be verified. */
  void applyFailurePolicy() {
    unverified = true;
    FailurePolicy policy = tier().rule().storeOptions().onFailure();
    String name = tier().rule().name();
    if (policy == FailurePolicy.CLOSED) {
      decideWithoutStore(
          Decision.unavailable(name, limit(), RETRY_NANOS, Reason.JWT_KEYS_UNAVAILABLE));
    } else if (policy == FailurePolicy.OPEN) {
      decideWithoutStore(Decision.allow(name, limit(), limit().burstThousandths(), 0, 0));
    }
  }

  /** Sets a decision that doesn't depend on the store. */
  private void decideWithoutStore(Decision known) {
    decision = known;
    decidedWithoutStore = true;
  }

  /** Sets the decision of the store. */
  void decided(Decision ofStore) {
    decision = ofStore;
  }

  /** Opens the rule again, because the store has charged nothing. */
  void withdraw() {
    withdrawn = decision;
    decision = null;
  }

  /** Returns the decision before {@link #withdraw}. */
  Decision withdrawn() {
    if (withdrawn == null) {
      throw new IllegalStateException("never decided: " + tier().rule().name());
    }
    return withdrawn;
  }

  /** Makes the rule one of several of which at least one has to allow the request. */
  void makeAlternative() {
    alternative = true;
  }

  boolean isAlternative() {
    return alternative;
  }

  /** Enforces the rule for this request if it is an alternative. */
  void enforceAlternative() {
    if (alternative) {
      mode = Mode.ENFORCE;
    }
  }

  private Limit limit() {
    return tier().rule().limits().get(0);
  }

  Tier tier() {
    if (tier == null) {
      throw new IllegalStateException("no rule is selected");
    }
    return tier;
  }

  /** Returns the mode of the rule without overrides, which also selects its buckets. */
  Mode ownMode() {
    return ownMode;
  }

  /** Returns the mode of the rule for this request. */
  Mode mode() {
    return mode;
  }

  String key() {
    return key;
  }

  long cost() {
    return cost;
  }

  /** Returns the decision of the rule; null if the store has not decided yet. */
  @Nullable Decision decision() {
    return decision;
  }

  /** Returns whether the decision is known without asking the store. */
  boolean isDecidedWithoutStore() {
    return decidedWithoutStore;
  }

  /** Returns whether the rule depends on claims that cannot be verified. */
  boolean isUnverified() {
    return unverified;
  }

  /** Returns whether the rule is enforced and needs a single bucket. */
  boolean isSimple() {
    return mode == Mode.ENFORCE && !decidedWithoutStore && tier().rule().limits().size() == 1;
  }

  /** Returns the claim on the bucket of a simple rule. */
  Claim claim() {
    return tier().claim(key, cost, ownMode);
  }

  /**
   * Adds the claims on the rule's buckets. The rule's own mode selects them, regardless of
   * overrides.
   */
  void addClaims(List<Claim> claims) {
    tier().claim(key, cost, ownMode, claims);
  }

  /** Returns the outcome of a decision of the store or of {@link #decision}. */
  Outcome outcome(Decision made) {
    Decision labelled = unverified ? made.asDegraded(Reason.JWT_KEYS_UNAVAILABLE) : made;
    return new Outcome(tier().rule(), mode, key, cost, labelled);
  }
}
