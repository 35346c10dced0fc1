package io.penstock.policy;

import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.Reason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rule that counts for a request, with its key and cost, until its {@link Selection} is used for
 * another request.
 */
final class SelectedRule {
  /** When to come back while keys of tokens are unavailable. */
  private static final long RETRY_NANOS = 1_000_000_000;

  private @Nullable Tier tier;
  private Mode own = Mode.OFF;
  private Mode mode = Mode.OFF;
  private String key = "";
  private long cost;
  private @Nullable Decision settled;
  private boolean unverified;

  void set(Tier tier, Mode own, Mode mode, String key, long cost) {
    this.tier = tier;
    this.own = own;
    this.mode = mode;
    this.key = key;
    this.cost = cost;
    this.settled = null;
    this.unverified = false;
  }

  /** The request lacks a part of the key that the rule insists on. */
  void refuse() {
    settled = Decision.refused(tier().rule().name(), limit(), Reason.MISSING_KEY);
  }

  /** With the claims of the request, another rule may have counted. */
  void label() {
    unverified = true;
  }

  /** Claims of the request can't be verified: the rule's failure policy says what is done. */
  void failOver() {
    unverified = true;
    FailurePolicy policy = tier().rule().storeOptions().onFailure();
    String name = tier().rule().name();
    if (policy == FailurePolicy.CLOSED) {
      settled = Decision.unavailable(name, limit(), RETRY_NANOS, Reason.JWT_KEYS_UNAVAILABLE);
    } else if (policy == FailurePolicy.OPEN) {
      settled = Decision.allowed(name, limit(), limit().burstThousandths(), 0, 0);
    }
  }

  private Limit limit() {
    return tier().rule().limits().get(0);
  }

  Tier tier() {
    if (tier == null) {
      throw new IllegalStateException("nothing was picked");
    }
    return tier;
  }

  /** Whether it would bind by its own word, which also tells its buckets. */
  Mode own() {
    return own;
  }

  /** Whether it binds for this request. */
  Mode mode() {
    return mode;
  }

  String key() {
    return key;
  }

  long cost() {
    return cost;
  }

  /** Whether it binds, and denies the request without asking the store. */
  boolean isRefusal() {
    return mode == Mode.ENFORCE && settled != null && !settled.allowed();
  }

  /** Whether it has nothing to ask the store for. */
  boolean isSettled() {
    return settled != null;
  }

  /** Whether claims that it goes by can't be verified. */
  boolean isUnverified() {
    return unverified;
  }

  /** Whether it binds, and asks for one bucket. */
  boolean isSimple() {
    return mode == Mode.ENFORCE && settled == null && tier().rule().limits().size() == 1;
  }

  /** What is claimed of its bucket, when it is simple. */
  Claim claim() {
    return tier().claim(key, cost, own);
  }

  /** Its buckets are told by what the rule says itself, whatever is made of it now. */
  void addClaims(List<Claim> claims) {
    tier().claim(key, cost, own, claims);
  }

  Outcome outcome(Decision decision) {
    Decision labelled = unverified ? decision.asDegraded(Reason.JWT_KEYS_UNAVAILABLE) : decision;
    return new Outcome(tier().rule(), mode, key, cost, labelled);
  }

  /** What it says without asking the store. */
  Outcome settled() {
    if (settled == null) {
      throw new IllegalStateException("the store has to be asked");
    }
    return outcome(settled);
  }
}
