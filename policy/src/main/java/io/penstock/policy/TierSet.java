package io.penstock.policy;

import io.penstock.RateLimiter;
import io.penstock.Store;
import java.util.List;

/** The tiers of one group: the first that applies to a request counts. Thread-safe. */
final class TierSet {
  private final Match places;
  private final List<Tier> tiers;
  private final TierIndex index;
  private final boolean indexed;
  private final boolean shadows;
  private final boolean claims;
  private final List<RateLimiter> inForce;
  private boolean retired;

  TierSet(TierGroup group, List<Tier> tiers, Store store) {
    this.places = group.places();
    this.tiers = List.copyOf(tiers);
    this.index = new TierIndex(tiers.stream().map(Tier::who).toList());
    this.indexed = !index.isEmpty();
    this.shadows = tiers.stream().anyMatch(Tier::canBeShadow);
    this.claims = tiers.stream().anyMatch(tier -> tier.rule().needsClaims());
    this.inForce = TierLimits.inForce(group, tiers, store);
  }

  /** Where its tiers apply, each place once. */
  List<Match> places() {
    return tiers.stream().map(tier -> tier.rule().match().places()).distinct().toList();
  }

  List<Tier> tiers() {
    return tiers;
  }

  /** The first of its rules, of which there is at least one. */
  Rule first() {
    return tiers.get(0).rule();
  }

  /** Whether any of its rules names something that only the caller knows. */
  boolean needsStated() {
    return tiers.stream().anyMatch(tier -> tier.rule().needsStated());
  }

  /** Takes all limits out of force. */
  synchronized void retire() {
    if (!retired) {
      retired = true;
      tiers.forEach(Tier::retire);
      inForce.forEach(RateLimiter::retire);
    }
  }

  /** Picks the tiers that count for a request: at most one that binds, and one as a shadow. */
  void choose(Request request, Selection selection) {
    if (!places.accepts(request)) {
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
   * The same for a request whose claims can't be verified. A tier that wants some of them may be
   * the right one or not. One that certainly is counts before it, wherever it stands; if there is
   * none, the last that may be, which by custom is the least generous.
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
          selection.get(before).label();
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
