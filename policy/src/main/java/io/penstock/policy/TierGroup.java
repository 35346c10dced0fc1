package io.penstock.policy;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What makes rules tiers of one another: of those in a group, the first that matches applies, and
 * all share a bucket. Either a name given by hand, or the same keys in the same places. Immutable.
 *
 * @param name the group given by hand; null if the rest tells
 * @param keys what tells buckets apart; empty in a group with a name
 * @param places where the rules apply; any in a group with a name
 */
public record TierGroup(@Nullable String name, List<KeyPart> keys, Match places) {
  /** No name given by hand begins like this. */
  private static final String MANUAL = "/manual/";

  public TierGroup {
    keys = List.copyOf(keys);
  }

  static TierGroup of(Rule rule) {
    // A rule that is asked for by name is a tier of nobody.
    String group = rule.isManual() ? MANUAL + rule.name() : rule.group();
    return group != null
        ? new TierGroup(group, List.of(), Match.ANY)
        : new TierGroup(null, rule.limitKeys(), inOrder(rule.match().places()));
  }

  /** Written path first or method first, it is the same place. */
  private static Match inOrder(Match places) {
    return new Match(
        places.conditions().stream()
            .sorted(Comparator.comparing(condition -> condition.subject().toString()))
            .toList());
  }
}
