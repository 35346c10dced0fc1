package io.penstock.policy;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What texts may begin with. Immutable.
 *
 * <p>Sorted, everything between a text's prefix and the text begins with that prefix too. So all
 * prefixes of a text are among the last one before it and those that this one begins with: each
 * knows the next shorter one, and a search is one bisection.
 */
final class Prefixes {
  private final String[] texts;
  private final int[][] groups;
  private final int[] shorter;

  Prefixes(Map<String, List<Integer>> groupsByPrefix) {
    SortedMap<String, List<Integer>> sorted = new TreeMap<>(groupsByPrefix);
    this.texts = sorted.keySet().toArray(String[]::new);
    this.groups =
        sorted.values().stream()
            .map(ids -> ids.stream().mapToInt(Integer::intValue).toArray())
            .toArray(int[][]::new);
    this.shorter = new int[texts.length];
    for (int i = 0; i < texts.length; i++) {
      int candidate = i - 1;
      while (candidate >= 0 && !texts[i].startsWith(texts[candidate])) {
        candidate = shorter[candidate];
      }
      shorter[i] = candidate;
    }
  }

  /** The longest that {@code text} begins with; -1 if there is none. */
  int of(String text) {
    int at = Arrays.binarySearch(texts, text);
    int candidate = at >= 0 ? at : -at - 2;
    while (candidate >= 0 && !text.startsWith(texts[candidate])) {
      candidate = shorter[candidate];
    }
    return candidate;
  }

  /** The next shorter one that {@code prefix} begins with; -1 if there is none. */
  int shorter(int prefix) {
    return shorter[prefix];
  }

  int[] groups(int prefix) {
    return groups[prefix];
  }
}
