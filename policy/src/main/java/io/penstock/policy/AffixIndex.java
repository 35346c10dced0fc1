package io.penstock.policy;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.SortedSet;

/**
 * Maps prefixes, or suffixes, to the numbers of the patterns that have them. Immutable.
 *
 * <p>In sorted order, every entry between a prefix of a text and the text itself also starts with
 * that prefix. All prefixes of a text are therefore the last entry that sorts before it, if that is
 * one, and the prefixes of that entry. Each entry links to its next shorter prefix, so a lookup
 * takes one binary search. Suffixes work the same way, read backwards.
 */
final class AffixIndex {
  private static final int[] NONE = {};

  private final boolean suffixes;
  private final String[] texts;
  private final int[][] numbers;
  private final int[] nextShorter;

  private AffixIndex(boolean suffixes, Map<String, ? extends SortedSet<Integer>> numbersByAffix) {
    this.suffixes = suffixes;
    this.texts = numbersByAffix.keySet().toArray(String[]::new);
    Arrays.sort(texts, (Comparator<String>) this::compare);
    this.numbers = new int[texts.length][];
    this.nextShorter = new int[texts.length];
    for (int i = 0; i < texts.length; i++) {
      SortedSet<Integer> own = numbersByAffix.get(texts[i]);
      numbers[i] = own == null ? NONE : own.stream().mapToInt(Integer::intValue).toArray();
      nextShorter[i] = longestAffix(texts[i], i - 1);
    }
  }

  static AffixIndex prefixes(Map<String, ? extends SortedSet<Integer>> numbers) {
    return new AffixIndex(false, numbers);
  }

  static AffixIndex suffixes(Map<String, ? extends SortedSet<Integer>> numbers) {
    return new AffixIndex(true, numbers);
  }

  /** Adds the numbers of all prefixes, or suffixes, of {@code text}. */
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
    for (int i = longestAffix(text, low - 1); i >= 0; i = nextShorter[i]) {
      found.addAll(numbers[i]);
    }
  }

  /**
   * Returns the index of the longest affix of {@code text} among entry {@code last} and its own
   * affixes, or -1 if there is none.
   */
  private int longestAffix(String text, int last) {
    int candidate = last;
    while (candidate >= 0 && !isAffix(texts[candidate], text)) {
      candidate = nextShorter[candidate];
    }
    return candidate;
  }

  private boolean isAffix(String affix, String text) {
    return suffixes ? text.endsWith(affix) : text.startsWith(affix);
  }

  private int compare(String one, String other) {
    if (!suffixes) {
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
