package io.penstock.policy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the tiers of a group that can apply to a request without looking at the others: where many
 * want different values of one attribute, such as a tenant each, by that value. Immutable.
 */
final class TierIndex {
  private static final int[] NONE = {};

  /** A group with fewer tiers that want a value is looked through faster than looked up. */
  private static final int WORTHWHILE = 8;

  private final @Nullable KeyPart subject;
  private final Map<String, int[]> byValue = new HashMap<>();
  private final int[] others;

  /** An index of tiers by their conditions; a tier is its position in the list. */
  TierIndex(List<Match> tiers) {
    this.subject = mostWanted(tiers);
    Map<String, List<Integer>> wanted = new HashMap<>();
    List<Integer> rest = new ArrayList<>();
    for (int tier = 0; tier < tiers.size(); tier++) {
      Condition.OneOf condition = subject == null ? null : on(subject, tiers.get(tier));
      if (condition == null) {
        rest.add(tier);
        continue;
      }
      for (String value : condition.values()) {
        wanted.computeIfAbsent(value, unused -> new ArrayList<>()).add(tier);
      }
    }
    wanted.forEach((value, found) -> byValue.put(value, array(found)));
    this.others = array(rest);
  }

  private static @Nullable KeyPart mostWanted(List<Match> tiers) {
    Map<KeyPart, Integer> wanted = new HashMap<>();
    for (Match tier : tiers) {
      for (Condition condition : tier.conditions()) {
        if (condition instanceof Condition.OneOf) {
          wanted.merge(condition.subject(), 1, Integer::sum);
        }
      }
    }
    return wanted.entrySet().stream()
        .filter(entry -> entry.getValue() >= WORTHWHILE)
        .max(Map.Entry.comparingByValue())
        .map(Map.Entry::getKey)
        .orElse(null);
  }

  private static Condition.@Nullable OneOf on(KeyPart subject, Match tier) {
    for (Condition condition : tier.conditions()) {
      if (condition instanceof Condition.OneOf oneOf && oneOf.subject().equals(subject)) {
        return oneOf;
      }
    }
    return null;
  }

  private static int[] array(List<Integer> tiers) {
    return tiers.stream().mapToInt(Integer::intValue).toArray();
  }

  /** The tiers that want what the request has, ascending. */
  int[] wanting(Request request) {
    if (subject == null) {
      return NONE;
    }
    String value = subject.of(request);
    return value == null ? NONE : byValue.getOrDefault(value, NONE);
  }

  /** The tiers that have to be looked at for every request, ascending. */
  int[] others() {
    return others;
  }
}
