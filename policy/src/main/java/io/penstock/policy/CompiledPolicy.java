package io.penstock.policy;

import io.penstock.Limit;
import io.penstock.Store;
import io.penstock.policy.path.NormalPath;
import io.penstock.policy.path.PathSettings;
import io.penstock.policy.path.PathSettings.EncodedSlashes;
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
  private final PhaseRules whole;
  private final PhaseRules early;
  private final PhaseRules late;
  private final Selection.SelectionPool selections;

  CompiledPolicy(Policy policy, Store store) {
    this.policy = policy;
    this.exempt = policy.exempt();
    this.selections = new Selection.SelectionPool(policy);
    Map<TierGroup, List<Tier>> tiers = new LinkedHashMap<>();
    for (int i = 0; i < policy.rules().size(); i++) {
      Rule rule = policy.rules().get(i);
      check(rule, store);
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
    this.whole = new PhaseRules(asked);
    this.early = new PhaseRules(asked.stream().filter(g -> !g.needsStated()).toList());
    this.late = new PhaseRules(asked.stream().filter(TierSet::needsStated).toList());
  }

  /**
   * @throws IllegalArgumentException if the rule is not off and the store can't keep a limit of it
   */
  static void check(Rule rule, Store store) {
    if (rule.rollout().mode() == Mode.OFF) {
      return;
    }
    for (Limit limit : rule.limits()) {
      try {
        store.check(rule.name(), limit, rule.storeOptions());
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("rule " + rule.name() + ": " + e.getMessage(), e);
      }
    }
  }

  /** Groups that are asked together, and an index of them. */
  private static final class PhaseRules {
    final List<TierSet> groups;
    final PlaceIndex index;
    final boolean indexed;

    PhaseRules(List<TierSet> groups) {
      this.groups = List.copyOf(groups);
      this.index = new PlaceIndex(groups.stream().map(TierSet::places).toList());
      this.indexed = !index.isEmpty();
    }
  }

  Policy policy() {
    return policy;
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

  Selection.SelectionPool selections() {
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

  /** How paths are made normal now; nothing is rejected where no rule binds. */
  PathSettings paths(@Nullable Mode override) {
    Mode all = modeOfAll(override);
    return all == Mode.SHADOW || all == Mode.OFF
        ? policy.paths().with(EncodedSlashes.KEEP)
        : policy.paths();
  }

  /**
   * A request as rules see it: with its path made normal.
   *
   * @return null if its path has to be rejected
   */
  @Nullable Request seen(Request request, PathSettings paths) {
    String path = request.path();
    if (path == null || path.isEmpty()) {
      return request;
    }
    String matched = NormalPath.matched(path, paths);
    if (matched == null) {
      return null;
    }
    return matched.equals(path) ? request : new NormalizedRequest(request, matched);
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
   * Finds the rules that count for a request, or rejects it.
   *
   * @param override what all rules are, whatever they say; null to let them say
   */
  void select(Request asked, Phase phase, @Nullable Mode override, Selection selection) {
    Mode all = modeOfAll(override);
    selection.begin(all);
    if (all == Mode.OFF) {
      return;
    }
    Request request = seen(asked, paths(override));
    if (request == null) {
      selection.reject();
      return;
    }
    if (exempts(request)) {
      return;
    }
    PhaseRules part = part(phase);
    SortedIds found = selection.groups();
    int count = part.indexed ? part.index.find(request, found) : part.groups.size();
    for (int i = 0; i < count; i++) {
      part.groups.get(part.indexed ? found.get(i) : i).choose(request, selection);
    }
    selection.sort();
  }

  /** As {@link #select}, of one rule that is asked for by its name. */
  void selectManual(String name, Request asked, @Nullable Mode override, Selection selection) {
    Mode all = modeOfAll(override);
    selection.begin(all);
    // Its request is being handled already, so it is too late to reject that.
    Request seen = seen(asked, policy.paths().with(EncodedSlashes.DECODE));
    Request request = seen == null ? asked : seen;
    TierSet group = manual.get(name);
    if (group != null && all != Mode.OFF && !exempts(request)) {
      group.choose(request, selection);
    }
  }

  private PhaseRules part(Phase phase) {
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
