package io.penstock.policy;

import java.util.List;

/** The tiers of one group: the first that applies to a request counts. Immutable. */
final class TierSet {
  private final Match places;
  private final List<Tier> tiers;
  private final TierIndex index;
  private final boolean shadows;

  TierSet(TierGroup group, List<Tier> tiers) {
    this.places = group.places();
    this.tiers = List.copyOf(tiers);
    this.index = new TierIndex(tiers.stream().map(tier -> tier.rule().match()).toList());
    this.shadows = tiers.stream().anyMatch(Tier::canBeShadow);
  }

  /** Where any of its tiers could apply. */
  Match places() {
    return places;
  }

  List<Tier> tiers() {
    return tiers;
  }

  /** Picks the tiers that count for a request: at most one that binds, and one as a shadow. */
  void choose(Request request, Selection selection) {
    if (!places.accepts(request)) {
      return;
    }
    int[] wanting = index.wanting(request);
    int[] others = index.others();
    boolean enforced = false;
    boolean shadowed = !shadows;
    for (int i = 0, j = 0; (i < wanting.length || j < others.length) && !(enforced && shadowed); ) {
      boolean first = j == others.length || (i < wanting.length && wanting[i] < others[j]);
      Tier tier = tiers.get(first ? wanting[i++] : others[j++]);
      Mode mode = selection.consider(tier, request, enforced, shadowed);
      enforced |= mode == Mode.ENFORCE;
      shadowed |= mode == Mode.SHADOW;
    }
  }
}
