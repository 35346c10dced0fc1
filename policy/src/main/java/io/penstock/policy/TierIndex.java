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
 * Finds the tiers of a group that can apply to a request without testing all tiers. If many tiers
 * match different values of an attribute, such as one tenant each, they are indexed by that value.
 * Immutable.
 */
final class TierIndex {
  private static final int[] NONE = {};

  /** With fewer values, a linear search is faster than a lookup. */
  private static final int MIN_INDEXED_VALUES = 8;

  private final List<ValueIndex> indexes = new ArrayList<>();
  private final int[] unindexed;

  /** Tiers by the value that they match of one attribute. */
  private record ValueIndex(KeyPart subject, Map<String, int[]> tiers) {
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
        // Each tier chooses which of the values counts, and so whether the next alternative is
        // used.
        several.forEach(each -> found.addAll(tiers.getOrDefault(each, NONE)));
      }
    }
  }

  /** Indexes tiers by their conditions. Tiers are identified by their position in the list. */
  TierIndex(List<Match> tiers) {
    Map<KeyPart, Set<String>> valuesBySubject = new HashMap<>();
    for (Match tier : tiers) {
      for (Condition condition : tier.conditions()) {
        valuesBySubject
            .computeIfAbsent(condition.subject(), unused -> new HashSet<>())
            .addAll(condition.values());
      }
    }
    Map<KeyPart, Map<String, List<Integer>>> found = new HashMap<>();
    List<Integer> unindexedTiers = new ArrayList<>();
    for (int tier = 0; tier < tiers.size(); tier++) {
      Condition indexCondition = indexCondition(tiers.get(tier), valuesBySubject);
      if (indexCondition == null) {
        unindexedTiers.add(tier);
        continue;
      }
      Map<String, List<Integer>> byValue =
          found.computeIfAbsent(indexCondition.subject(), unused -> new HashMap<>());
      for (String value : indexCondition.values()) {
        byValue.computeIfAbsent(value, unused -> new ArrayList<>()).add(tier);
      }
    }
    found.forEach(
        (subject, byValue) -> {
          Map<String, int[]> arrays = new HashMap<>();
          byValue.forEach((value, own) -> arrays.put(value, array(own)));
          indexes.add(new ValueIndex(subject, arrays));
        });
    this.unindexed = array(unindexedTiers);
  }

  /**
   * Returns the condition to index a tier by: the one on the attribute with the most different
   * values. Null if no attribute has enough.
   */
  private static @Nullable Condition indexCondition(
      Match tier, Map<KeyPart, Set<String>> valuesBySubject) {
    Condition indexCondition = null;
    int maxValues = MIN_INDEXED_VALUES - 1;
    for (Condition condition : tier.conditions()) {
      int values = valuesBySubject.getOrDefault(condition.subject(), Set.of()).size();
      if (!condition.values().isEmpty() && values > maxValues && !isOnMethod(condition)) {
        indexCondition = condition;
        maxValues = values;
      }
    }
    return indexCondition;
  }

  /** A condition on methods can accept HEAD without listing it. */
  private static boolean isOnMethod(Condition condition) {
    return condition.subject().alternatives().get(0).source() == Attribute.AttributeSource.METHOD;
  }

  private static int[] array(Collection<Integer> tiers) {
    return tiers.stream().mapToInt(Integer::intValue).toArray();
  }

  /** Returns whether no tier is indexed by a value, so that any of them may apply. */
  boolean isEmpty() {
    return indexes.isEmpty();
  }

  /**
   * Writes the tiers that may apply to {@code found} in ascending order, and returns their number.
   */
  int find(Request request, SortedIds found) {
    found.clear();
    found.addAll(unindexed);
    for (int i = 0; i < indexes.size(); i++) {
      indexes.get(i).addTo(found, request);
    }
    return found.sort();
  }
}
