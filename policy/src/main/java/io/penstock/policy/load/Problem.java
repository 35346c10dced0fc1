package io.penstock.policy.load;

/**
 * Something wrong or doubtful in a file, in one line. Immutable.
 *
 * @param path the field, such as {@code rules[3].burst}; empty for the whole
 * @param message what is wrong, and what would be right
 */
public record Problem(Severity severity, Location location, String path, String message) {
  private static final int MAX_LENGTH = 400;

  /** How bad it is. */
  public enum Severity {
    /** What was read can't be used. */
    ERROR,
    /** What was read can be used, but may not do what its author thinks. */
    WARNING
  }

  public Problem {
    path = inOneLine(path);
    message = inOneLine(message);
  }

  /** Files quote anything: what goes to a log must be short and can't begin a line of its own. */
  private static String inOneLine(String text) {
    String shortened = text.length() > MAX_LENGTH ? text.substring(0, MAX_LENGTH) + "…" : text;
    StringBuilder line = new StringBuilder(shortened.length());
    shortened
        .codePoints()
        .map(c -> Character.isISOControl(c) || c == 0x2028 || c == 0x2029 ? ' ' : c)
        .forEach(line::appendCodePoint);
    return line.toString();
  }

  /** {@code policy.yaml:12:5: rules[3].burst: must be positive: -3}. */
  @Override
  public String toString() {
    return location
        + ": "
        + (severity == Severity.WARNING ? "warning: " : "")
        + (path.isEmpty() ? "" : path + ": ")
        + message;
  }
}
