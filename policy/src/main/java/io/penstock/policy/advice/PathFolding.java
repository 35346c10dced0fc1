package io.penstock.policy.advice;

import io.penstock.policy.Pattern;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Replaces ids in paths by {@code *}, so that requests to the same endpoint have the same path:
 * {@code /users/42/orders} becomes {@code /users/*}{@code /orders}. Not thread-safe.
 *
 * <p>A segment is an id if it is a number, a UUID, a date, hexadecimal with at least 8 digits, has
 * an {@code @} or a {@code *}, or has at least 16 characters among them a digit. Patterns given by
 * the user come first and replace the whole path.
 */
public final class PathFolding {
  private static final int MIN_HEX = 8;
  private static final int MIN_TOKEN = 16;
  private static final int MAX_EXAMPLES = 1_000;
  private static final int MAX_EXAMPLE_LENGTH = 200;

  private final boolean isHeuristic;
  private final List<Pattern> patterns;
  private final Map<String, String> examples = new LinkedHashMap<>();

  /**
   * @param isHeuristic whether ids are detected
   * @param patterns path patterns, which replace the paths that they match
   */
  public PathFolding(boolean isHeuristic, List<String> patterns) {
    this.isHeuristic = isHeuristic;
    this.patterns = patterns.stream().map(Pattern::new).toList();
  }

  /**
   * A folded path. Immutable.
   *
   * @param pattern what replaces the path; empty if no pattern matches it without others
   * @param key equal only for paths that the same patterns match, of all that can replace a path
   */
  record FoldedPath(String pattern, String key) {}

  /** Returns the pattern of a path, or the path itself; empty if it contains a {@code *}. */
  public String fold(String path) {
    return folded(path).pattern;
  }

  FoldedPath folded(String path) {
    // Literal parts of a detected pattern are whole segments that are no ids, so whether it matches
    // a path depends on the path without ids only.
    String plain = isHeuristic ? withoutIds(path) : path;
    StringBuilder key = new StringBuilder();
    Pattern first = null;
    for (int i = 0; i < patterns.size(); i++) {
      if (patterns.get(i).matches(path)) {
        key.append(i).append(' ');
        first = first == null ? patterns.get(i) : first;
      }
    }
    if (first != null) {
      return new FoldedPath(
          remembered(path, first.text()), key.append(isHeuristic ? plain : "").toString());
    }
    return plain.equals(path) && path.indexOf('*') >= 0
        ? new FoldedPath("", plain)
        : new FoldedPath(remembered(path, plain), plain);
  }

  private String remembered(String path, String result) {
    if (!result.equals(path)
        && result.length() <= MAX_EXAMPLE_LENGTH
        && examples.size() < MAX_EXAMPLES) {
      examples.putIfAbsent(
          result,
          path.length() <= MAX_EXAMPLE_LENGTH ? path : path.substring(0, MAX_EXAMPLE_LENGTH) + "…");
    }
    return result;
  }

  /** Returns the patterns that were used, each with the first path that it replaced. */
  public Map<String, String> examples() {
    return new LinkedHashMap<>(examples);
  }

  private static String withoutIds(String path) {
    if (path.indexOf('/') != 0) {
      return path;
    }
    List<String> segments = new ArrayList<>();
    boolean isChanged = false;
    for (String segment : path.substring(1).split("/", -1)) {
      boolean isId = isId(segment);
      isChanged |= isId;
      segments.add(isId ? "*" : segment);
    }
    return isChanged ? "/" + String.join("/", segments) : path;
  }

  static boolean isId(String segment) {
    int digits = 0;
    int hex = 0;
    int separators = 0;
    int letters = 0;
    for (int i = 0; i < segment.length(); i++) {
      char c = segment.charAt(i);
      digits += c >= '0' && c <= '9' ? 1 : 0;
      hex += Character.digit(c, 16) >= 0 && c < 0x80 ? 1 : 0;
      separators += c == '-' || c == '_' || c == '.' || c == ':' ? 1 : 0;
      letters += c == '@' || c == '*' ? MIN_TOKEN : 0;
    }
    if (digits == 0) {
      return letters > 0;
    }
    int length = segment.length();
    boolean isNumber = digits + separators == length;
    boolean isHex = hex + separators == length && hex >= MIN_HEX;
    boolean isToken = length >= MIN_TOKEN && segment.indexOf('.') < 0;
    return isNumber || isHex || isToken || letters > 0;
  }
}
