package io.penstock.policy.load;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Detects path patterns that were probably meant otherwise, although some request could match them.
 * Such a character can be escaped, for example as {@code %7C}.
 */
final class PathMistakes {
  private static final Pattern SEPARATOR = Pattern.compile("\\s*[,|]\\s*(?=/)|\\s+(?=/)");
  private static final Pattern BLANK = Pattern.compile("[\\s\\p{Z}\\p{Cntrl}]");

  /** A group that is a segment or repeats a part, unlike the one in {@code /Products(1)}. */
  private static final Pattern GROUP =
      Pattern.compile("(?<=/)\\([^()/]*\\)(?=/|$)|\\([^()/]*(?:\\.[*+]|\\+(?=\\)))[^()/]*\\)");

  private static final Pattern REPEATED_DOT = Pattern.compile("\\.\\+");

  /** Names that vary. Other names with a dollar sign are operations such as $metadata. */
  private static final Pattern PLACEHOLDER =
      Pattern.compile(
          "(?<=/)\\$(?:\\d+|\\w*(?:id|name|slug|uuid|user|key|code|number|version|tenant|account))"
              + "(?=/|$)|%[sd](?=/|$)",
          Pattern.CASE_INSENSITIVE);

  /** Longer patterns aren't checked, as the time grows with the square of the length. */
  private static final int MAX_LENGTH = 300;

  private PathMistakes() {}

  /** Returns what is wrong with a pattern, the pattern and a suggestion; null if nothing is. */
  static @Nullable String warning(String pattern) {
    if (pattern.length() > MAX_LENGTH) {
      return null;
    }
    List<String> parts = List.of(SEPARATOR.split(pattern.strip(), -1));
    if (parts.size() > 1) {
      return "is a single path, not several: "
          + pattern
          + "; did you mean ["
          + String.join(", ", parts)
          + "]?";
    }
    if (pattern.indexOf('|') >= 0) {
      return "| does not separate alternatives; write a list of paths, or %7C for the character: "
          + pattern;
    }
    if (BLANK.matcher(pattern).find()) {
      return blankWarning(pattern);
    }
    if (pattern.indexOf('"') >= 0) {
      return "paths hardly ever contain a quotation mark; remove it, or write %22: "
          + pattern
          + hint(pattern.replace("\"", ""));
    }
    return syntaxWarning(pattern);
  }

  private static String blankWarning(String pattern) {
    String stripped = pattern.strip();
    return "paths hardly ever contain whitespace or control characters; remove them, or write %20"
        + " for a space: \""
        + pattern
        + '"'
        + (BLANK.matcher(stripped).find() ? "" : hint(stripped));
  }

  private static @Nullable String syntaxWarning(String pattern) {
    boolean isRegex = GROUP.matcher(pattern).find() || REPEATED_DOT.matcher(pattern).find();
    if (!isRegex && !PLACEHOLDER.matcher(pattern).find()) {
      return null;
    }
    String ungrouped = GROUP.matcher(pattern).replaceAll(PathMistakes::plain);
    String undotted = REPEATED_DOT.matcher(ungrouped).replaceAll("*");
    return "looks like "
        + (isRegex ? "a regular expression" : "a path template")
        + "; * is the only wildcard and matches any characters: "
        + pattern
        + hint(PLACEHOLDER.matcher(undotted).replaceAll("*"));
  }

  /** Returns the text of a group, or a star if it has a part that is repeated. */
  private static String plain(MatchResult group) {
    String inner = group.group().substring(1, group.group().length() - 1);
    return Matcher.quoteReplacement(
        inner.isEmpty() || inner.matches(".*(?:\\.[*+]|\\+).*") ? "*" : inner);
  }

  private static String hint(String meant) {
    return "; did you mean " + meant + "?";
  }
}
