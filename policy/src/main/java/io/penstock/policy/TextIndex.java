package io.penstock.policy;

import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Numbers by patterns that texts may match: written out, or by what is before the first star or
 * after the last, whichever is longer. What it finds still has to be matched. Immutable.
 */
final class TextIndex {
  private static final int[] NONE = {};

  private final Map<String, int[]> whole = new HashMap<>();
  private final boolean isEmpty;
  private final AffixIndex beginnings;
  private final AffixIndex ends;

  TextIndex(Map<Pattern, SortedSet<Integer>> numbers) {
    Map<String, TreeSet<Integer>> begin = new HashMap<>();
    Map<String, TreeSet<Integer>> end = new HashMap<>();
    numbers.forEach(
        (pattern, own) -> {
          String prefix = pattern.literalPrefix();
          String suffix = pattern.literalSuffix();
          if (pattern.isLiteral()) {
            whole.put(pattern.text(), own.stream().mapToInt(Integer::intValue).toArray());
          } else if (suffix.length() > prefix.length()) {
            end.computeIfAbsent(suffix, unused -> new TreeSet<>()).addAll(own);
          } else {
            begin.computeIfAbsent(prefix, unused -> new TreeSet<>()).addAll(own);
          }
        });
    this.isEmpty = numbers.isEmpty();
    this.beginnings = AffixIndex.beginnings(begin);
    this.ends = AffixIndex.ends(end);
  }

  /** Whether no text could match anything. */
  boolean isEmpty() {
    return isEmpty;
  }

  /** Adds the numbers of all patterns that {@code text} may match. */
  void addTo(SortedIds found, String text) {
    found.addAll(whole.getOrDefault(text, NONE));
    beginnings.addTo(found, text);
    ends.addTo(found, text);
  }
}
