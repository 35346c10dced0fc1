package io.penstock.policy.migration;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Translates regular expressions for URLs, and patterns of Spring, to paths of a policy. */
final class UrlPattern {
  private static final String META = "[](){}+?|^$\\";
  private static final Pattern GROUP = Pattern.compile("([^()]*)\\(([^()]*)\\)([^()]*)");

  private UrlPattern() {}

  /**
   * Returns the paths that a regular expression matches as a whole; empty for all of them, null if
   * a policy can't express it. A dot that stands for itself in practice is taken literally.
   */
  static @Nullable List<String> ofRegex(String regex) {
    String inner = regex.strip();
    inner = inner.startsWith("^") ? inner.substring(1) : inner;
    inner =
        inner.endsWith("$") && !inner.endsWith("\\$")
            ? inner.substring(0, inner.length() - 1)
            : inner;
    List<String> alternatives = new ArrayList<>();
    Matcher group = GROUP.matcher(inner);
    if (group.matches()) {
      for (String alternative : group.group(2).split("\\|", -1)) {
        alternatives.add(group.group(1) + alternative + group.group(3));
      }
    } else {
      alternatives.addAll(List.of(inner.split("\\|", -1)));
    }
    List<String> paths = new ArrayList<>();
    for (String alternative : alternatives) {
      String path = path(alternative);
      if (path == null) {
        return null;
      }
      if (path.equals("*") || path.equals("/*")) {
        return List.of();
      }
      paths.add(path);
    }
    return paths;
  }

  private static @Nullable String path(String regex) {
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < regex.length(); i++) {
      char c = regex.charAt(i);
      char next = i + 1 < regex.length() ? regex.charAt(i + 1) : ' ';
      if (c == '\\' && !Character.isLetterOrDigit(next) && next != ' ') {
        path.append(next);
        i++;
      } else if (c == '.' && next == '*') {
        path.append('*');
        i++;
      } else if (c == '*' || META.indexOf(c) >= 0) {
        return null;
      } else {
        path.append(c);
      }
    }
    return path.toString().startsWith("/") || path.toString().startsWith("*")
        ? path.toString()
        : null;
  }

  /** Returns the paths that a pattern of Spring matches; null if a policy can't express it. */
  static @Nullable List<String> ofSpring(String pattern) {
    if (pattern.endsWith("/**") && isLiteral(pattern.substring(0, pattern.length() - 3))) {
      String folder = pattern.substring(0, pattern.length() - 3);
      return folder.isEmpty() ? List.of() : List.of(folder, folder + "/*");
    }
    return isLiteral(pattern) ? List.of(pattern) : null;
  }

  private static boolean isLiteral(String pattern) {
    return (pattern.isEmpty() || pattern.startsWith("/"))
        && pattern.chars().noneMatch(c -> "*?{}".indexOf(c) >= 0);
  }
}
