package io.penstock.policy.load;

import java.util.Locale;

/**
 * An error, warning or note about a file, in one line. Immutable.
 *
 * @param path the field, such as {@code rules[3].burst}; empty for the whole document
 * @param message what is wrong, and what would be right
 */
public record Problem(Severity severity, Location location, String path, String message) {
  private static final int MAX_LENGTH = 400;

  /** The severity of a problem. */
  public enum Severity {
    /** The document can't be used. */
    ERROR,
    /** The document can be used, but may not do what its author expects. */
    WARNING,
    /** The document is right for some purposes, and has no effect for others. */
    NOTE
  }

  public Problem {
    path = inOneLine(path);
    message = inOneLine(message);
  }

  /**
   * Messages quote text from files, so they are truncated and stripped of control characters before
   * they reach a log.
   */
  private static String inOneLine(String text) {
    String shortened = text.length() > MAX_LENGTH ? text.substring(0, MAX_LENGTH) + "…" : text;
    StringBuilder line = new StringBuilder(shortened.length());
    shortened
        .codePoints()
        .map(c -> Character.isISOControl(c) || c == 0x2028 || c == 0x2029 ? ' ' : c)
        .forEach(line::appendCodePoint);
    return line.toString();
  }

  /** Returns a line such as {@code policy.yaml:12:5: rules[3].burst: must be positive: -3}. */
  @Override
  public String toString() {
    return location
        + ": "
        + (severity == Severity.ERROR ? "" : severity.name().toLowerCase(Locale.ROOT) + ": ")
        + (path.isEmpty() ? "" : path + ": ")
        + message;
  }
}
