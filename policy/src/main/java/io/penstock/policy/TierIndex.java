package io.penstock.policy;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the tiers of a group that can apply to a request without looking at the others: where many
 * want different values of an attribute, such as a tenant each, by that value. Immutable.
 */
final class TierIndex {
  private static final int[] NONE = {};

  /** Where fewer values are wanted, looking through the tiers is faster than looking up. */
  private static final int WORTHWHILE = 8;

  private final List<ByValue> indexes = new ArrayList<>();
  private final int[] others;

  /** Tiers by the value that they want of one attribute. */
  private record ByValue(KeyPart subject, Map<String, int[]> tiers) {
    void addTo(SortedIds found, Request request) {
      List<Attribute> alternatives = subject.alternatives();
      for (int i = 0; i < alternatives.size(); i++) {
        String value = alternatives.get(i).of(request);
        if (value == null) {
          continue;
        }
        found.addAll(tiers.getOrDefault(value, NONE));
        List<String> several = alternatives.get(i).repeated(request, value);
        if (several == null) {
          return;
        }
        // Which of them counts is for each tier to say, and so whether the next alternative does.
        several.forEach(each -> found.addAll(tiers.getOrDefault(each, NONE)));
      }
    }
  }

  /** An index of tiers by their conditions; a tier is its position in the list. */
  TierIndex(List<Match> tiers) {
    Map<KeyPart, Set<String>> wanted = new HashMap<>();
    for (Match tier : tiers) {
      for (Condition condition : tier.conditions()) {
        wanted
            .computeIfAbsent(condition.subject(), unused -> new HashSet<>())
            .addAll(condition.values());
      }
    }
    Map<KeyPart, Map<String, List<Integer>>> found = new HashMap<>();
    List<Integer> rest = new ArrayList<>();
    for (int tier = 0; tier < tiers.size(); tier++) {
      Condition telling = telling(tiers.get(tier), wanted);
      if (telling == null) {
        rest.add(tier);
        continue;
      }
      Map<String, List<Integer>> byValue =
          found.computeIfAbsent(telling.subject(), unused -> new HashMap<>());
      for (String value : telling.values()) {
        byValue.computeIfAbsent(value, unused -> new ArrayList<>()).add(tier);
      }
    }
    found.forEach(
        (subject, byValue) -> {
          Map<String, int[]> arrays = new HashMap<>();
          byValue.forEach((value, own) -> arrays.put(value, array(own)));
          indexes.add(new ByValue(subject, arrays));
        });
    this.others = array(rest);
  }

  /** The condition to find a tier by: the one on the attribute of which most values are wanted. */
  private static @Nullable Condition telling(Match tier, Map<KeyPart, Set<String>> wanted) {
    Condition telling = null;
    int most = WORTHWHILE - 1;
    for (Condition condition : tier.conditions()) {
      int values = wanted.getOrDefault(condition.subject(), Set.of()).size();
      if (!condition.values().isEmpty() && values > most && !isOnMethod(condition)) {
        telling = condition;
        most = values;
      }
    }
    return telling;
  }

  /** A condition on methods accepts one that it doesn't list. */
  private static boolean isOnMethod(Condition condition) {
    return condition.subject().alternatives().get(0).source() == Attribute.AttributeSource.METHOD;
  }

  private static int[] array(Collection<Integer> tiers) {
    return tiers.stream().mapToInt(Integer::intValue).toArray();
  }

  /** Whether no value tells tiers apart, so that any of them may apply. */
  boolean isEmpty() {
    return indexes.isEmpty();
  }

  /** The tiers that may apply, ascending, into {@code found}; how many there are. */
  int find(Request request, SortedIds found) {
    found.clear();
    found.addAll(others);
    for (int i = 0; i < indexes.size(); i++) {
      indexes.get(i).addTo(found, request);
    }
    return found.sort();
  }
}
