package io.penstock.policy.load;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Suggests corrections for misspelled words. */
public final class Suggestions {
  private static final int MAX_LENGTH = 40;
  private static final int MIN_CONTAINED_LENGTH = 4;

  /** Names that other limiters use for fields of a rule. */
  private static final Map<String, String> OTHER_NAMES =
      Map.of(
          "on_failure", "on_store_failure",
          "on_error", "on_store_failure",
          "failure_policy", "on_store_failure",
          "key", "limit_keys",
          "keys", "limit_keys",
          "limit_by", "limit_keys",
          "key_by", "limit_keys",
          "period", "window",
          "interval", "window");

  private Suggestions() {}

  /** Like {@link #hint}, for the name of a field. */
  static String ofField(String name, Collection<String> known) {
    String other = OTHER_NAMES.get(name);
    return other != null && known.contains(other)
        ? "; did you mean " + other + "?"
        : hint(name, known);
  }

  /**
   * Returns {@code "; did you mean burst?"} if one of {@code known} is close to {@code word}, else
   * "".
   */
  static String hint(String word, Collection<String> known) {
    String nearest = to(word, known);
    return nearest == null ? "" : "; did you mean " + nearest + "?";
  }

  /** Returns the word in {@code known} that is closest to {@code word}; null if none is close. */
  public static @Nullable String to(String word, Collection<String> known) {
    if (word.length() > MAX_LENGTH) {
      return null;
    }
    String written = word.toLowerCase(Locale.ROOT);
    int best = 1 + Math.max(1, written.length() / 3);
    String nearest = null;
    for (String candidate : known) {
      int distance = distance(written, candidate.toLowerCase(Locale.ROOT));
      if (distance < best) {
        best = distance;
        nearest = candidate;
      }
    }
    return nearest == null ? contained(written, known) : nearest;
  }

  /** Returns a word that is a part of {@code written}, as {@code open} is of {@code fail_open}. */
  private static @Nullable String contained(String written, Collection<String> known) {
    return known.stream()
        .filter(candidate -> candidate.length() >= MIN_CONTAINED_LENGTH)
        .filter(candidate -> written.contains(candidate.toLowerCase(Locale.ROOT)))
        .max(Comparator.comparingInt(String::length))
        .orElse(null);
  }

  /** Returns the edit distance: how many letters to add, drop, change or swap with a neighbour. */
  static int distance(String a, String b) {
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          d[i][j] = i + j;
          continue;
        }
        int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        d[i][j] = Math.min(d[i - 1][j - 1] + change, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
        }
      }
    }
    return d[a.length()][b.length()];
  }
}
