package io.penstock.server.envoy;

import java.util.List;

/**
 * A pattern in which each {@code *} stands for any characters, or none. Immutable.
 *
 * @param literals the texts between the stars, in order; at least two
 */
record Wildcard(List<String> literals) {
  Wildcard {
    literals = List.copyOf(literals);
  }

  static Wildcard parse(String pattern) {
    return new Wildcard(List.of(pattern.split("\\*", -1)));
  }

  static boolean isWildcard(String text) {
    return text.indexOf('*') >= 0;
  }

  /** Returns whether the pattern matches the whole text. */
  boolean matches(String text) {
    String first = literals.get(0);
    String last = literals.get(literals.size() - 1);
    if (!text.startsWith(first)) {
      return false;
    }
    int from = first.length();
    int to = text.length() - last.length();
    // The leftmost place of each literal leaves the most text for those that follow.
    for (int i = 1; i < literals.size() - 1; i++) {
      int found = text.indexOf(literals.get(i), from);
      if (found < 0) {
        return false;
      }
      from = found + literals.get(i).length();
    }
    return from <= to && text.endsWith(last);
  }
}
