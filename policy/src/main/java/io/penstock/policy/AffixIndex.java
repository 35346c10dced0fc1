package io.penstock.policy;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.SortedSet;

/**
 * What texts may begin with, or what they may end with, and numbers that belong to each. Immutable.
 *
 * <p>Sorted, everything between a text's prefix and the text begins with that prefix too. So all
 * prefixes of a text are among the last one before it and those that this one begins with: each
 * knows the next shorter one, and a search is one bisection. Ends are the same, read backwards.
 */
final class AffixIndex {
  private static final int[] NONE = {};

  private final boolean ends;
  private final String[] texts;
  private final int[][] numbers;
  private final int[] shorter;

  private AffixIndex(boolean ends, Map<String, ? extends SortedSet<Integer>> numbersByAffix) {
    this.ends = ends;
    this.texts = numbersByAffix.keySet().toArray(String[]::new);
    Arrays.sort(texts, (Comparator<String>) this::compare);
    this.numbers = new int[texts.length][];
    this.shorter = new int[texts.length];
    for (int i = 0; i < texts.length; i++) {
      SortedSet<Integer> own = numbersByAffix.get(texts[i]);
      numbers[i] = own == null ? NONE : own.stream().mapToInt(Integer::intValue).toArray();
      shorter[i] = longestOf(texts[i], i - 1);
    }
  }

  static AffixIndex beginnings(Map<String, ? extends SortedSet<Integer>> numbers) {
    return new AffixIndex(false, numbers);
  }

  static AffixIndex ends(Map<String, ? extends SortedSet<Integer>> numbers) {
    return new AffixIndex(true, numbers);
  }

  /** Adds the numbers of everything that {@code text} begins or ends with. */
  void addTo(SortedIds found, String text) {
    if (texts.length == 0) {
      return;
    }
    int low = 0;
    int high = texts.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (compare(texts[middle], text) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    for (int i = longestOf(text, low - 1); i >= 0; i = shorter[i]) {
      found.addAll(numbers[i]);
    }
  }

  /** The longest affix of {@code text} that is {@code last} or one of its own affixes; or -1. */
  private int longestOf(String text, int last) {
    int candidate = last;
    while (candidate >= 0 && !isAffix(texts[candidate], text)) {
      candidate = shorter[candidate];
    }
    return candidate;
  }

  private boolean isAffix(String affix, String text) {
    return ends ? text.endsWith(affix) : text.startsWith(affix);
  }

  private int compare(String one, String other) {
    if (!ends) {
      return one.compareTo(other);
    }
    int common = Math.min(one.length(), other.length());
    for (int i = 1; i <= common; i++) {
      int difference = one.charAt(one.length() - i) - other.charAt(other.length() - i);
      if (difference != 0) {
        return difference;
      }
    }
    return one.length() - other.length();
  }
}
