package io.penstock.policy;

import io.penstock.Store;
import java.util.ArrayList;
import java.util.HashMap;
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
  private final Map<String, TierSet> manual = new HashMap<>();
  private final Part whole;
  private final Part early;
  private final Part late;
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
    List<TierSet> asked = new ArrayList<>();
    for (TierSet group : groups) {
      if (group.first().isManual()) {
        manual.put(group.first().name(), group);
      } else {
        asked.add(group);
      }
    }
    this.whole = new Part(asked);
    this.early = new Part(asked.stream().filter(g -> !g.needsStated()).toList());
    this.late = new Part(asked.stream().filter(TierSet::needsStated).toList());
  }

  /** Groups that are asked together, and an index of them. */
  private static final class Part {
    final List<TierSet> groups;
    final PlaceIndex index;
    final boolean indexed;

    Part(List<TierSet> groups) {
      this.groups = List.copyOf(groups);
      this.index = new PlaceIndex(groups.stream().map(TierSet::places).toList());
      this.indexed = !index.isEmpty();
    }
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
  void select(Request request, Phase phase, @Nullable Mode override, Selection selection) {
    Mode all = modeOfAll(override);
    selection.begin(all);
    if (all == Mode.OFF || exempts(request)) {
      return;
    }
    Part part = part(phase);
    Ids found = selection.groups();
    int count = part.indexed ? part.index.find(request, found) : part.groups.size();
    for (int i = 0; i < count; i++) {
      part.groups.get(part.indexed ? found.get(i) : i).choose(request, selection);
    }
    selection.sort();
  }

  /** As {@link #select}, of one rule that is asked for by its name. */
  void selectManual(String name, Request request, @Nullable Mode override, Selection selection) {
    Mode all = modeOfAll(override);
    selection.begin(all);
    TierSet group = manual.get(name);
    if (group != null && all != Mode.OFF && !exempts(request)) {
      group.choose(request, selection);
    }
  }

  private Part part(Phase phase) {
    return switch (phase) {
      case WHOLE -> whole;
      case EARLY -> early;
      case LATE -> late;
    };
  }

  /** Whether any rule may apply in a phase. */
  boolean has(Phase phase) {
    return !part(phase).groups.isEmpty();
  }

  /** Takes all limits out of force. */
  void retire() {
    groups.forEach(TierSet::retire);
  }
}
