package io.penstock.policy;

import io.penstock.Claim;
import io.penstock.Limit;
import io.penstock.Store;
import io.penstock.TokenBucket;
import io.penstock.policy.path.NormalPath;
import io.penstock.policy.path.PathSettings;
import io.penstock.policy.path.PathSettings.EncodedSlashes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A policy compiled for a store: its groups of tiers and an index of them. Thread-safe. */
final class CompiledPolicy {
  private final Policy policy;
  private final List<Match> exempt;
  private final List<TierSet> groups = new ArrayList<>();
  private final Map<String, TierSet> manual = new ConcurrentHashMap<>();
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
    List<TierSet> automatic = new ArrayList<>();
    for (TierSet group : groups) {
      if (group.first().isManual()) {
        manual.put(group.first().name(), group);
      } else {
        automatic.add(group);
      }
    }
    this.whole = new PhaseRules(automatic);
    this.early = new PhaseRules(automatic.stream().filter(g -> !g.needsStated()).toList());
    this.late = new PhaseRules(automatic.stream().filter(TierSet::needsStated).toList());
  }

  /**
   * Checks that the store supports the limits of a rule, unless the rule is off.
   *
   * @throws IllegalArgumentException if the store doesn't support a limit of the rule
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

  /** The groups that are evaluated in one phase, and an index of them. */
  private static final class PhaseRules {
    final List<TierSet> groups;
    final RouteIndex index;
    final boolean indexed;

    PhaseRules(List<TierSet> groups) {
      this.groups = List.copyOf(groups);
      this.index = new RouteIndex(groups.stream().map(TierSet::routes).toList());
      this.indexed = !index.isEmpty();
    }
  }

  Policy policy() {
    return policy;
  }

  /** Adds a manual rule that the policy doesn't contain. */
  void addManual(Rule rule, Store store) {
    check(rule, store);
    TierGroup group = rule.tierGroup();
    Tier tier = new Tier(rule, policy.rules().size(), group, store);
    removeManual(rule.name());
    manual.put(rule.name(), new TierSet(group, List.of(tier), store));
  }

  /** Removes a manual rule if there is one with this name. */
  void removeManual(String name) {
    TierSet removed = manual.remove(name);
    if (removed != null) {
      removed.retire();
    }
  }

  /** Returns the rule with this name if it is not off and has limits. */
  Optional<Tier> tier(String name) {
    TierSet requested = manual.get(name);
    return (requested == null ? groups.stream() : Stream.of(requested))
        .flatMap(group -> group.tiers().stream())
        .filter(tier -> tier.rule().name().equals(name) && !tier.rule().isUnlimited())
        .findAny();
  }

  List<TierSet> groups() {
    return groups;
  }

  /** Returns a selection of no rules. */
  Selection newSelection() {
    return selections.acquire();
  }

  /** Returns the mode that applies to all rules, or null if each rule has its own. */
  private @Nullable Mode forcedMode(ModeOverrides overrides) {
    return overrides.all() != null
        ? overrides.all()
        : policy.mode() == Mode.ENFORCE ? null : policy.mode();
  }

  /** Returns whether no rule applies to any request. */
  boolean isOff(ModeOverrides overrides) {
    return forcedMode(overrides) == Mode.OFF;
  }

  /**
   * Returns the current settings for path normalization. While no rule is enforced, they reject no
   * path.
   */
  PathSettings paths(ModeOverrides overrides) {
    Mode all = forcedMode(overrides);
    return all == Mode.SHADOW || all == Mode.OFF
        ? policy.paths().with(EncodedSlashes.KEEP)
        : policy.paths();
  }

  /**
   * Returns the request with the normalized path that rules match.
   *
   * @return null if the path has to be rejected
   */
  @Nullable Request normalize(Request request, PathSettings paths) {
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
    return exemption(request) >= 0;
  }

  /**
   * Returns the position of the first exemption that a request meets; negative if it meets none.
   */
  int exemption(Request request) {
    for (int i = 0; i < exempt.size(); i++) {
      if (exempt.get(i).accepts(request)) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Selects the rules that apply to a request, or rejects the request.
   *
   * @param overrides the modes that replace those of the policy
   */
  Selection select(Request original, Phase phase, ModeOverrides overrides) {
    Selection selection = begin(overrides);
    if (isOff(overrides)) {
      return selection;
    }
    Request request = normalize(original, paths(overrides));
    if (request == null) {
      selection.reject();
      return selection;
    }
    if (exempts(request)) {
      return selection;
    }
    PhaseRules rules = phaseRules(phase);
    SortedIds found = selection.groups();
    int count = rules.indexed ? rules.index.find(request, found) : rules.groups.size();
    for (int i = 0; i < count; i++) {
      rules.groups.get(rules.indexed ? found.get(i) : i).choose(request, selection);
    }
    selection.sort();
    return selection;
  }

  private Selection begin(ModeOverrides overrides) {
    Selection selection = selections.acquire();
    selection.begin(forcedMode(overrides), overrides.effectiveRules());
    return selection;
  }

  /** Like {@link #select}, for one rule that is requested by name. */
  Selection selectManual(String name, Request original, ModeOverrides overrides) {
    Selection selection = begin(overrides);
    // The application is already handling the request, so it is too late to reject its path.
    Request normalized = normalize(original, policy.paths().with(EncodedSlashes.DECODE));
    Request request = normalized == null ? original : normalized;
    TierSet group = manual.get(name);
    if (group != null && !isOff(overrides) && !exempts(request)) {
      group.choose(request, selection);
    }
    return selection;
  }

  /** Selects several rules that are requested by name, in the order of the calls. */
  Selection selectManual(List<RuleCall> calls, ModeOverrides overrides) {
    Selection selection = begin(overrides);
    for (int i = 0; i < calls.size() && !isOff(overrides); i++) {
      TierSet group = manual.get(calls.get(i).rule());
      if (group != null) {
        int before = selection.size();
        group.choose(calls.get(i).request(), selection);
        for (int j = before; j < selection.size() && calls.get(i).alternative(); j++) {
          selection.get(j).makeAlternative();
        }
      }
    }
    return selection;
  }

  private PhaseRules phaseRules(Phase phase) {
    return switch (phase) {
      case WHOLE -> whole;
      case EARLY -> early;
      case LATE -> late;
    };
  }

  /** Returns whether any rule can apply in a phase. */
  boolean has(Phase phase) {
    return !phaseRules(phase).groups.isEmpty();
  }

  /**
   * Returns the claims that refund what the rules accepted by {@code which} charged an allowed
   * request: on token buckets of rules that have not changed since.
   */
  List<Claim> refundable(Verdict verdict, Predicate<Rule> which) {
    List<Claim> charged = new ArrayList<>();
    for (Outcome outcome : verdict.allowed() ? verdict.outcomes() : List.<Outcome>of()) {
      if (which.test(outcome.rule())
          && outcome.decision().allowed()
          && !outcome.decision().degraded()) {
        tier(outcome.rule().name())
            .map(tier -> tier.of(outcome.key()))
            .filter(tier -> tier.rule().equals(outcome.rule()))
            .ifPresent(
                tier ->
                    tier.claim(
                        outcome.key(),
                        outcome.costThousandths(),
                        tier.mode(outcome.key()),
                        charged));
      }
    }
    charged.removeIf(claim -> !(claim.limiter().limit() instanceof TokenBucket));
    return charged;
  }

  /** Retires all limits. */
  void retire() {
    groups.forEach(TierSet::retire);
    manual.values().forEach(TierSet::retire);
  }
}
