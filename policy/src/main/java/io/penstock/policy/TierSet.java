package io.penstock.policy;

import io.penstock.RateLimiter;
import io.penstock.Store;
import java.util.List;

/** The tiers of one group. The first tier that matches a request applies. Thread-safe. */
final class TierSet {
  private final Match route;
  private final List<Tier> tiers;
  private final TierIndex index;
  private final boolean indexed;
  private final boolean shadows;
  private final boolean claims;
  private final List<RateLimiter> activeLimiters;
  private boolean retired;

  TierSet(TierGroup group, List<Tier> tiers, Store store) {
    this.route = group.route();
    this.tiers = List.copyOf(tiers);
    this.index = new TierIndex(tiers.stream().map(Tier::tierMatch).toList());
    this.indexed = !index.isEmpty();
    this.shadows = tiers.stream().anyMatch(Tier::canBeShadow);
    this.claims = tiers.stream().anyMatch(tier -> tier.rule().needsClaims());
    this.activeLimiters = TierLimits.activeLimiters(group, tiers, store);
  }

  /** Returns the distinct routes that the tiers apply to. */
  List<Match> routes() {
    return tiers.stream().map(tier -> tier.rule().match().route()).distinct().toList();
  }

  List<Tier> tiers() {
    return tiers;
  }

  /** Returns the first rule. There is at least one. */
  Rule first() {
    return tiers.get(0).rule();
  }

  /** Returns whether any rule refers to attributes that the caller has to supply. */
  boolean needsStated() {
    return tiers.stream().anyMatch(tier -> tier.rule().needsStated());
  }

  /** Retires all limits. */
  synchronized void retire() {
    if (!retired) {
      retired = true;
      tiers.forEach(Tier::retire);
      activeLimiters.forEach(RateLimiter::retire);
    }
  }

  /** Selects the tiers that apply to a request: at most one enforced and one shadow tier. */
  void choose(Request request, Selection selection) {
    if (!route.accepts(request)) {
      return;
    }
    if (claims && request.claimsUnverifiable()) {
      chooseUnverified(request, selection);
      return;
    }
    SortedIds found = selection.tiers();
    int count = indexed ? index.find(request, found) : tiers.size();
    boolean enforced = false;
    boolean shadowed = !shadows;
    for (int i = 0; i < count && !(enforced && shadowed); i++) {
      Tier tier = tiers.get(indexed ? found.get(i) : i);
      Mode mode = selection.consider(tier, request, enforced, shadowed, false);
      enforced |= mode == Mode.ENFORCE;
      shadowed |= mode == Mode.SHADOW;
    }
  }

  /**
   * Selects tiers for a request whose claims cannot be verified. A tier with conditions on claims
   * may or may not apply. A tier that certainly applies takes precedence, wherever it stands in the
   * group. If there is none, the last tier that may apply is selected, which by convention is the
   * least generous.
   */
  private void chooseUnverified(Request request, Selection selection) {
    Tier possible = null;
    boolean enforced = false;
    boolean shadowed = !shadows;
    for (int i = 0; i < tiers.size() && !(enforced && shadowed); i++) {
      Tier tier = tiers.get(i);
      if (tier.fit(request) != Condition.Fit.NO) {
        int before = selection.size();
        Mode mode = selection.consider(tier, request, enforced, shadowed, false);
        if (possible != null && selection.size() > before) {
          selection.get(before).markUnverified();
        }
        enforced |= mode == Mode.ENFORCE;
        shadowed |= mode == Mode.SHADOW;
      } else if (!tier.rule().isUnlimited() && tier.mayAccept(request)) {
        possible = tier;
      }
    }
    if (possible != null && !enforced) {
      Mode unused = selection.consider(possible, request, false, shadowed, true);
    }
  }
}
