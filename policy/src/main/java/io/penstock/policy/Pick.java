package io.penstock.policy;

import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.Reason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rule that counts for a request, with its key and cost, until its {@link Selection} is used for
 * another request.
 */
final class Pick {
  private @Nullable Tier tier;
  private Mode own = Mode.OFF;
  private Mode mode = Mode.OFF;
  private String key = "";
  private long cost;
  private boolean refused;

  void set(Tier tier, Mode own, Mode mode, String key, long cost, boolean refused) {
    this.tier = tier;
    this.own = own;
    this.mode = mode;
    this.key = key;
    this.cost = cost;
    this.refused = refused;
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

  /** Whether it binds, and the request lacks a part of the key that it insists on. */
  boolean isRefusal() {
    return refused && mode == Mode.ENFORCE;
  }

  /** Whether it has nothing to ask the store for. */
  boolean isRefused() {
    return refused;
  }

  /** Whether it binds, and asks for one bucket. */
  boolean isSimple() {
    return mode == Mode.ENFORCE && !refused && tier().rule().limits().size() == 1;
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
    return new Outcome(tier().rule(), mode, key, cost, decision);
  }

  Outcome refusal() {
    Rule rule = tier().rule();
    return outcome(Decision.refused(rule.name(), rule.limits().get(0), Reason.MISSING_KEY));
  }
}
