package io.penstock.policy;

import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * An index of patterns. Literal patterns are found by their text, all others by the literal prefix
 * before the first star or the literal suffix after the last, whichever is longer. The results are
 * candidates that still have to be matched. Immutable.
 */
final class TextIndex {
  private static final int[] NONE = {};

  private final Map<String, int[]> literals = new HashMap<>();
  private final boolean isEmpty;
  private final AffixIndex prefixes;
  private final AffixIndex suffixes;

  TextIndex(Map<Pattern, SortedSet<Integer>> numbers) {
    Map<String, TreeSet<Integer>> byPrefix = new HashMap<>();
    Map<String, TreeSet<Integer>> bySuffix = new HashMap<>();
    numbers.forEach(
        (pattern, own) -> {
          String prefix = pattern.literalPrefix();
          String suffix = pattern.literalSuffix();
          if (pattern.isLiteral()) {
            literals.put(pattern.text(), own.stream().mapToInt(Integer::intValue).toArray());
          } else if (suffix.length() > prefix.length()) {
            bySuffix.computeIfAbsent(suffix, unused -> new TreeSet<>()).addAll(own);
          } else {
            byPrefix.computeIfAbsent(prefix, unused -> new TreeSet<>()).addAll(own);
          }
        });
    this.isEmpty = numbers.isEmpty();
    this.prefixes = AffixIndex.prefixes(byPrefix);
    this.suffixes = AffixIndex.suffixes(bySuffix);
  }

  /** Returns whether the index has no patterns. */
  boolean isEmpty() {
    return isEmpty;
  }

  /** Adds the numbers of all patterns that {@code text} may match. */
  void addTo(SortedIds found, String text) {
    found.addAll(literals.getOrDefault(text, NONE));
    prefixes.addTo(found, text);
    suffixes.addTo(found, text);
  }
}
