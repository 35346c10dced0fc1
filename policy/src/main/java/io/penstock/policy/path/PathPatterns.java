package io.penstock.policy.path;

import java.util.ArrayList;
import java.util.List;

/** Normalizes path patterns like the paths that they are compared with. */
public final class PathPatterns {
  private PathPatterns() {}

  /**
   * Returns the patterns that {@code text} stands for: itself in normalized form, and equivalent
   * ones.
   */
  public static List<String> of(String text, PathSettings settings) {
    String pattern = new PathText(settings, true).pattern(text);
    if (settings.ignoresCase()) {
      pattern = PathCase.folded(pattern);
    }
    if (settings.stripsTrailingDots()) {
      String shorter = PathText.withoutTrailingDots(pattern);
      pattern =
          shorter.isEmpty() || shorter.endsWith("/") || shorter.endsWith("*") ? pattern : shorter;
    }
    List<String> all = new ArrayList<>();
    if (settings.stripsTrailingSlash() && pattern.endsWith("/*") && pattern.length() > 2) {
      // A request for the folder itself has no trailing slash.
      all.add(pattern.substring(0, pattern.length() - 2));
    }
    boolean slash = settings.stripsTrailingSlash() && pattern.endsWith("/") && pattern.length() > 1;
    all.add(slash ? pattern.substring(0, pattern.length() - 1) : pattern);
    return all;
  }
}
