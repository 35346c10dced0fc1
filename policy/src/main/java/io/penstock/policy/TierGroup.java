package io.penstock.policy;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Identifies a group of tiers. Of the rules in a group, the first that matches applies, and all
 * share a bucket. A group is defined either by an explicit name or by the same keys on the same
 * route (path, method and host). Immutable.
 *
 * @param name the explicit name; null if the group is defined by keys and route
 * @param keys the attributes that select a bucket; empty in a group with a name
 * @param route the conditions on path, method and host; none in a group with a name
 */
public record TierGroup(@Nullable String name, List<KeyPart> keys, Match route) {
  /** The prefix of the groups of manual rules. Explicit names can't start with it. */
  private static final String MANUAL = "/manual/";

  public TierGroup {
    keys = List.copyOf(keys);
  }

  static TierGroup of(Rule rule) {
    // A manual rule forms a group of its own.
    String group = rule.isManual() ? MANUAL + rule.name() : rule.group();
    return group != null
        ? new TierGroup(group, List.of(), Match.ANY)
        : new TierGroup(null, rule.limitKeys(), inOrder(rule.match().route()));
  }

  /** Sorts the conditions, so that their order in the policy doesn't matter. */
  private static Match inOrder(Match route) {
    return new Match(
        route.conditions().stream()
            .sorted(Comparator.comparing(condition -> condition.subject().toString()))
            .toList());
  }
}
