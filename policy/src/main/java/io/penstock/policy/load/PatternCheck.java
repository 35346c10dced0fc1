package io.penstock.policy.load;

import io.penstock.policy.Condition;
import io.penstock.policy.HostName;
import io.penstock.policy.Match;
import io.penstock.policy.Pattern;
import io.penstock.policy.path.NormalPath;
import io.penstock.policy.path.PathPatterns;
import io.penstock.policy.path.PathSettings;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Warns of path and host patterns that match no request under the policy's {@code paths}, or only
 * requests that were probably not meant, and of exemptions of all requests. Expects patterns as
 * written in the policy.
 */
final class PatternCheck {
  private static final Set<String> ALL = Set.of("*", "/*");
  private static final String NOT_IN_HOSTS = "/@?# ";

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
          String warning = attribute.equals("path") ? pathWarning(text) : hostWarning(text);
          if (warning != null) {
            problems.warning(
                located.at(), field(located, ".match." + attribute), warning + ": " + text);
          }
        }
      }
    }
  }

  /** Checks an exemption, and warns if it exempts every request. */
  void checkExempt(Match match, Located<?> located) {
    check(match, located);
    if (match.conditions().stream().allMatch(PatternCheck::acceptsAll)) {
      problems.warning(
          located.at(), field(located, ".match"), "exempts every request, so that no rule applies");
    }
  }

  private static boolean acceptsAll(Condition condition) {
    if (condition instanceof Condition.Like like) {
      return like.patterns().stream().anyMatch(pattern -> ALL.contains(pattern.text()));
    }
    return condition instanceof Condition.Within within
        && Stream.of("0.0.0.0/0", "::/0")
            .allMatch(all -> within.networks().stream().anyMatch(n -> n.toString().equals(all)));
  }

  private static String field(Located<?> located, String name) {
    return located.path().isEmpty() ? name.substring(1) : located.path() + name;
  }

  private static @Nullable String hostWarning(String pattern) {
    return HostName.of(pattern).equals(pattern)
            && pattern.chars().noneMatch(c -> NOT_IN_HOSTS.indexOf(c) >= 0)
        ? null
        : "never matches, as hosts are compared without scheme, port, path and final dot";
  }

  private @Nullable String pathWarning(String pattern) {
    if (pattern.indexOf('?') >= 0) {
      return "a path has no query; match query:NAME, or write %3F for a question mark in the path";
    }
    if (paths.stripsParameters() && pattern.indexOf(';') >= 0) {
      return "path parameters are stripped before rules match; set paths: {parameters: keep}";
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

  /** Returns the simplest path that the pattern should match. */
  private static String example(String pattern) {
    String filled = pattern.replace("*", ANY);
    return filled.startsWith("/") ? filled : "/" + filled;
  }
}
