package io.penstock.policy.load;

import io.penstock.policy.Condition;
import io.penstock.policy.Match;
import io.penstock.policy.Pattern;
import io.penstock.policy.path.NormalPath;
import io.penstock.policy.path.PathPatterns;
import io.penstock.policy.path.PathSettings;
import org.jspecify.annotations.Nullable;

/**
 * Warns of path and host patterns that match no request under the policy's {@code paths}, or only
 * requests that were probably not meant. Expects patterns as written in the policy.
 */
final class PatternCheck {
  /** A placeholder for the text that a star matches. */
  private static final String ANY = "x";

  private final PathSettings paths;
  private final Problems problems;

  PatternCheck(PathSettings paths, Problems problems) {
    this.paths = paths;
    this.problems = problems;
  }

  void check(Match match, Located<?> located) {
    for (Condition condition : match.conditions()) {
      if (condition instanceof Condition.Like like) {
        String attribute = like.subject().toString();
        for (Pattern pattern : like.patterns()) {
          String text = pattern.text();
          String warning =
              attribute.equals("path") ? pathWarning(text) : HostMistakes.warning(text);
          if (warning != null) {
            problems.warning(located.at(), field(located, ".match." + attribute), warning);
          }
        }
      }
    }
  }

  private static String field(Located<?> located, String name) {
    return located.path().isEmpty() ? name.substring(1) : located.path() + name;
  }

  private @Nullable String pathWarning(String pattern) {
    String mistake = PathMistakes.warning(pattern);
    if (mistake != null && pattern.chars().anyMatch(Character::isISOControl)) {
      return mistake;
    }
    String mismatch = mismatch(pattern);
    return mismatch == null ? mistake : mismatch + ": " + pattern;
  }

  /** Returns why no normalized path matches a pattern; null if one does. */
  private @Nullable String mismatch(String pattern) {
    if (pattern.indexOf('?') >= 0) {
      return "a path has no query; match query:NAME, or write %3F for a question mark in the path";
    }
    if (paths.stripsParameters() && pattern.indexOf(';') >= 0) {
      return "path parameters are stripped before rules match; set paths: {parameters: keep}";
    }
    String example = NormalPath.matched(example(pattern), paths);
    if (example == null) {
      return "requests with such a path are rejected before rules match, because it contains an"
          + " escaped slash (see paths: encoded_slashes) or a control character";
    }
    return PathPatterns.of(pattern, paths).stream()
            .anyMatch(normal -> new Pattern(normal).matches(example))
        ? null
        : "never matches, as paths are normalized first: no //, no . or .. segments, no #";
  }

  /** Returns the simplest path that the pattern should match. */
  private static String example(String pattern) {
    String filled = pattern.replace("*", ANY);
    return filled.startsWith("/") ? filled : "/" + filled;
  }
}
