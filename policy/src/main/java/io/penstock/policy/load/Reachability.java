package io.penstock.policy.load;

import io.penstock.policy.KeyPart;
import io.penstock.policy.Match;
import io.penstock.policy.MissingKey;
import io.penstock.policy.Mode;
import io.penstock.policy.Rule;
import io.penstock.policy.TierGroup;
import io.penstock.policy.path.PathSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds rules that can never apply because an exemption or an earlier tier takes every request that
 * they match. Paths are compared in normalized form.
 *
 * <p>Enforcing rules and shadow rules form separate sequences of tiers. A rule that is enforced for
 * a percentage of its keys belongs to both, and is not certain to take any request from later
 * tiers.
 */
final class Reachability {
  private static final int ALL = 100;

  private record GroupAndMode(TierGroup group, Mode kind) {}

  private final PathSettings paths;
  private final Problems problems;
  private final CoverIndex<Located<Match>> exempt = new CoverIndex<>();
  private final Map<GroupAndMode, CoverIndex<Located<Rule>>> earlier = new HashMap<>();

  Reachability(List<Located<Match>> exempt, PathSettings paths, Problems problems) {
    this.paths = paths;
    this.problems = problems;
    exempt.forEach(entry -> this.exempt.add(entry.value().under(paths), entry));
  }

  /** Returns the {@code rules} that can apply or are off, and reports errors about the others. */
  List<Located<Rule>> check(List<Located<Rule>> rules) {
    List<Located<Rule>> reachable = new ArrayList<>(rules.size());
    for (Located<Rule> located : rules) {
      if (located.value().rollout().mode() == Mode.OFF || canApply(located)) {
        reachable.add(located);
      }
    }
    return reachable;
  }

  private boolean canApply(Located<Rule> located) {
    Rule rule = located.value().under(paths);
    Located<Match> exemption = exempt.covering(rule.match(), entry -> true);
    if (exemption != null) {
      reportUnreachable(
          located, exemption.path() + ", at " + exemption.at() + ", exempts all of its requests");
      return false;
    }
    TierGroup group = rule.tierGroup();
    Located<Rule> hiding = null;
    for (Mode kind : kinds(rule)) {
      hiding = hiding(rule, new GroupAndMode(group, kind));
      if (hiding == null) {
        break;
      }
    }
    if (hiding != null) {
      reportUnreachable(
          located,
          hiding.value().name()
              + ", "
              + hiding.at().reference()
              + ", matches all of its requests first; move this rule before it");
      return false;
    }
    if (rule.rollout().enforcePercent() == ALL) {
      GroupAndMode tiers = new GroupAndMode(group, rule.rollout().mode());
      earlier.computeIfAbsent(tiers, t -> new CoverIndex<>()).add(rule.match(), located);
    }
    return true;
  }

  private @Nullable Located<Rule> hiding(Rule rule, GroupAndMode tiers) {
    CoverIndex<Located<Rule>> index = earlier.get(tiers);
    return index == null
        ? null
        : index.covering(rule.match(), other -> neverSkips(other.value(), rule));
  }

  private void reportUnreachable(Located<Rule> located, String reason) {
    problems.error(
        located.at(), located.path(), located.value().name() + " can never apply: " + reason);
  }

  private static List<Mode> kinds(Rule rule) {
    Rule.Rollout rollout = rule.rollout();
    return rollout.enforcePercent() == ALL
        ? List.of(rollout.mode())
        : List.of(Mode.ENFORCE, Mode.SHADOW);
  }

  /**
   * Returns whether {@code other} never skips a request of {@code rule} because of a missing key.
   */
  private static boolean neverSkips(Rule other, Rule rule) {
    return other.limitKeys().stream()
        .allMatch(part -> other.onMissing(part) != MissingKey.SKIP || isAlwaysPresent(part, rule));
  }

  /** Returns whether every request that {@code rule} applies to has {@code part}. */
  private static boolean isAlwaysPresent(KeyPart part, Rule rule) {
    return rule.limitKeys().stream()
            .anyMatch(own -> rule.onMissing(own) == MissingKey.SKIP && implies(own, part))
        || rule.match().conditions().stream()
            .anyMatch(condition -> implies(condition.subject(), part));
  }

  private static boolean implies(KeyPart present, KeyPart part) {
    return part.alternatives().containsAll(present.alternatives());
  }
}
