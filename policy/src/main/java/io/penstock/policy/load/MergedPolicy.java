package io.penstock.policy.load;

import io.penstock.policy.Match;
import io.penstock.policy.Policy;
import io.penstock.policy.Rule;
import io.penstock.policy.jwt.JwtSettings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A policy merged from files and from the database, whose rules follow those of the files.
 * Immutable.
 *
 * <p>Each rule from the database is checked by itself. A rule is unusable if it can't be read, has
 * the name of another rule, could never apply or has a limit that the store doesn't support. It
 * then keeps its previous version; if that is unusable too, the rule is omitted. So no rule can
 * deactivate others.
 *
 * @param databaseRules the active rules from the database
 * @param problems why other rules from the database are not active
 * @param warnings warnings for the authors of active rules from the database
 */
public record MergedPolicy(
    Policy policy,
    List<OrderedRule> databaseRules,
    List<Problem> problems,
    List<Problem> warnings) {
  public MergedPolicy {
    databaseRules = List.copyOf(databaseRules);
    problems = List.copyOf(problems);
    warnings = List.copyOf(warnings);
  }

  /** Checks whether a valid rule can be active in this process. */
  public interface RuleCheck {
    /** Accepts all rules, for processes without a store. */
    RuleCheck NONE = rule -> {};

    /**
     * Checks a rule.
     *
     * @throws IllegalArgumentException if it can't be active
     */
    void check(Rule rule);
  }

  /** The rules from the database that can be active together, and why others can't. */
  private record Attempt(Policy policy, List<OrderedRule> databaseRules, List<Problem> problems) {}

  /**
   * Merges the rules of files and candidates from the database.
   *
   * @param origin the name of the files in error messages
   */
  public static MergedPolicy of(
      Policy files, String origin, List<RuleCandidate> candidates, RuleCheck check) {
    if (candidates.isEmpty()) {
      return new MergedPolicy(files, List.of(), List.of(), List.of());
    }
    List<Problem> problems = new ArrayList<>();
    List<OrderedRule> now = new ArrayList<>(candidates.size());
    for (RuleCandidate candidate : candidates) {
      problems.addAll(candidate.problems());
      if (candidate.now() != null) {
        now.add(candidate.now());
      }
    }
    Attempt first = attempt(files, origin, now, check);
    problems.addAll(first.problems);
    List<OrderedRule> withPrevious = withPreviousVersions(candidates, first.databaseRules);
    Attempt best =
        withPrevious.size() == first.databaseRules.size()
            ? first
            : attempt(files, origin, withPrevious, check);
    return new MergedPolicy(
        best.policy, best.databaseRules, problems, warnings(candidates, best, files));
  }

  private static AttributeCheck attributeCheck(Policy files, Problems problems) {
    return new AttributeCheck(
        files.attributes(), Set.of(), files.jwt().trust() != JwtSettings.Trust.NONE, problems);
  }

  private static List<Problem> warnings(
      List<RuleCandidate> candidates, Attempt active, Policy files) {
    Problems problems = new Problems();
    Set<OrderedRule> used = identitySet(active.databaseRules);
    for (RuleCandidate candidate : candidates) {
      if (candidate.now() != null && used.contains(candidate.now())) {
        candidate
            .warnings()
            .forEach(each -> problems.warning(each.location(), each.path(), each.message()));
      }
    }
    PatternCheck patterns = new PatternCheck(files.paths(), problems);
    AttributeCheck attributes = attributeCheck(files, problems);
    for (OrderedRule ordered : active.databaseRules) {
      patterns.check(ordered.rule().value().match(), ordered.rule());
      attributes.check(ordered.rule());
    }
    return problems.warnings();
  }

  private static Set<OrderedRule> identitySet(List<OrderedRule> rules) {
    Set<OrderedRule> set = Collections.newSetFromMap(new IdentityHashMap<>());
    set.addAll(rules);
    return set;
  }

  private static List<OrderedRule> withPreviousVersions(
      List<RuleCandidate> candidates, List<OrderedRule> good) {
    Set<OrderedRule> used = identitySet(good);
    List<OrderedRule> withPrevious = new ArrayList<>(candidates.size());
    for (RuleCandidate candidate : candidates) {
      if (candidate.now() != null && used.contains(candidate.now())) {
        withPrevious.add(candidate.now());
      } else if (candidate.before() != null) {
        withPrevious.add(candidate.before());
      }
    }
    return withPrevious;
  }

  private static Attempt attempt(
      Policy files, String origin, List<OrderedRule> databaseRules, RuleCheck check) {
    Problems problems = new Problems();
    Location location = Location.of(origin);
    Map<String, Location> names = new HashMap<>();
    List<Located<Rule>> all = new ArrayList<>();
    for (Rule rule : files.rules()) {
      names.put(rule.name(), location);
      all.add(new Located<>(rule, location, rule.name()));
    }
    AttributeCheck attributes = attributeCheck(files, problems);
    IdentityHashMap<Located<Rule>, OrderedRule> known = new IdentityHashMap<>();
    for (OrderedRule ordered : databaseRules.stream().sorted(OrderedRule.IN_ORDER).toList()) {
      Located<Rule> rule = expanded(ordered.rule(), files);
      if (!attributes.check(ordered.rule()) || !isUsable(rule, check, problems)) {
        continue;
      }
      Location other = names.putIfAbsent(rule.value().name(), rule.at());
      if (other == null) {
        all.add(rule);
        known.put(rule, ordered);
      } else {
        problems.error(
            rule.at(),
            "name",
            "must have a unique name: " + rule.value().name() + " is also " + other.reference());
      }
    }
    List<Located<Rule>> reachable =
        new Reachability(located(files.exempt(), location), files.paths(), problems).check(all);
    List<OrderedRule> active = new ArrayList<>();
    for (Located<Rule> rule : reachable) {
      OrderedRule ordered = known.get(rule);
      if (ordered != null) {
        active.add(ordered);
      }
    }
    return new Attempt(joined(files, reachable), active, problems.errors());
  }

  private static Located<Rule> expanded(Located<Rule> rule, Policy files) {
    return new Located<>(rule.value().under(files.attributes()), rule.at(), rule.path());
  }

  private static boolean isUsable(Located<Rule> rule, RuleCheck check, Problems problems) {
    try {
      check.check(rule.value());
      return true;
    } catch (IllegalArgumentException e) {
      problems.error(rule.at(), rule.path(), String.valueOf(e.getMessage()));
      return false;
    }
  }

  private static List<Located<Match>> located(List<Match> exempt, Location location) {
    List<Located<Match>> located = new ArrayList<>();
    for (Match match : exempt) {
      located.add(new Located<>(match, location, "exempt[" + located.size() + "]"));
    }
    return located;
  }

  private static Policy joined(Policy files, List<Located<Rule>> rules) {
    return files.withRules(rules.stream().map(Located::value).toList());
  }
}
