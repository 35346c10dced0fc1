package io.penstock.policy;

import io.penstock.Store;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A policy as it is applied on a store: its groups of tiers, and an index of them. Thread-safe. */
final class CompiledPolicy {
  private final Policy policy;
  private final List<Match> exempt;
  private final List<TierSet> groups = new ArrayList<>();
  private final PlaceIndex index;
  private final Selection.Pool selections;

  CompiledPolicy(Policy policy, Store store) {
    this.policy = policy;
    this.exempt = policy.exempt();
    this.selections = new Selection.Pool(policy.keySecret());
    Map<TierGroup, List<Tier>> tiers = new LinkedHashMap<>();
    for (int i = 0; i < policy.rules().size(); i++) {
      Rule rule = policy.rules().get(i);
      if (rule.rollout().mode() != Mode.OFF) {
        TierGroup group = rule.tierGroup();
        tiers
            .computeIfAbsent(group, unused -> new ArrayList<>())
            .add(new Tier(rule, i, group, store));
      }
    }
    tiers.forEach((group, members) -> groups.add(new TierSet(group, members, store)));
    this.index = new PlaceIndex(groups.stream().map(TierSet::places).toList());
  }

  Policy policy() {
    return policy;
  }

  @Nullable String keySecret() {
    return policy.keySecret();
  }

  /** The rule of a name, if it is on and has limits. */
  Optional<Tier> tier(String name) {
    return groups.stream()
        .flatMap(group -> group.tiers().stream())
        .filter(tier -> tier.rule().name().equals(name) && !tier.rule().isUnlimited())
        .findAny();
  }

  List<TierSet> groups() {
    return groups;
  }

  Selection.Pool selections() {
    return selections;
  }

  /** The mode of all rules, whatever they say; null to let them say. */
  private @Nullable Mode modeOfAll(@Nullable Mode override) {
    return override != null ? override : policy.mode() == Mode.ENFORCE ? null : policy.mode();
  }

  /** Whether no rule applies whatever the request. */
  boolean isOff(@Nullable Mode override) {
    return modeOfAll(override) == Mode.OFF;
  }

  boolean exempts(Request request) {
    for (int i = 0; i < exempt.size(); i++) {
      if (exempt.get(i).accepts(request)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Finds the rules that count for a request.
   *
   * @param override what all rules are, whatever they say; null to let them say
   */
  void select(Request request, @Nullable Mode override, Selection selection) {
    Mode all = modeOfAll(override);
    selection.begin(all);
    if (all == Mode.OFF || exempts(request)) {
      return;
    }
    Ids found = selection.groups();
    int count = index.find(request, found);
    for (int i = 0; i < count; i++) {
      groups.get(found.get(i)).choose(request, selection);
    }
    selection.sort();
  }

  /** Takes all limits out of force. */
  void retire() {
    groups.forEach(TierSet::retire);
  }
}
