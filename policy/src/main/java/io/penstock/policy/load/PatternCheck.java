package io.penstock.policy.load;

import io.penstock.policy.Condition;
import io.penstock.policy.Match;
import io.penstock.policy.Pattern;
import io.penstock.policy.path.NormalPath;
import io.penstock.policy.path.PathPatterns;
import io.penstock.policy.path.PathSettings;
import org.jspecify.annotations.Nullable;

/**
 * Warns of path patterns that no request matches under the policy's {@code paths}, or only requests
 * that were hardly meant.
 */
final class PatternCheck {
  /** Stands for what a star matches. */
  private static final String ANY = "x";

  private final PathSettings paths;
  private final Problems problems;

  PatternCheck(PathSettings paths, Problems problems) {
    this.paths = paths;
    this.problems = problems;
  }

  void check(Match match, Placed<?> placed) {
    for (Condition condition : match.conditions()) {
      if (condition instanceof Condition.Like like && like.subject().toString().equals("path")) {
        for (Pattern pattern : like.patterns()) {
          String against = against(pattern.text());
          if (against != null) {
            problems.warning(
                placed.at(), placed.path() + ".match.path", against + ": " + pattern.text());
          }
        }
      }
    }
  }

  private @Nullable String against(String pattern) {
    if (pattern.indexOf('?') >= 0) {
      return "a path has no query; match query:NAME, or write %3F for a question mark in the path";
    }
    if (paths.stripsParameters() && pattern.indexOf(';') >= 0) {
      return "path parameters are stripped before rules match; say paths: {parameters: keep}";
    }
    String example = NormalPath.matched(example(pattern), paths);
    if (example == null) {
      return "requests with such a path are rejected before rules match, see paths:"
          + " encoded_slashes";
    }
    return PathPatterns.of(pattern, paths).stream()
            .anyMatch(normal -> new Pattern(normal).matches(example))
        ? null
        : "never matches, as paths are normalized first: no //, no . or .. segments, no #";
  }

  /** The simplest path that the pattern is written for. */
  private static String example(String pattern) {
    String filled = pattern.replace("*", ANY);
    return filled.startsWith("/") ? filled : "/" + filled;
  }
}
