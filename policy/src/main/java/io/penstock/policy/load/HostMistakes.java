package io.penstock.policy.load;

import io.penstock.policy.HostName;
import java.net.IDN;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Detects host patterns that no host of a request matches. */
final class HostMistakes {
  private static final String NOT_IN_HOSTS = "/@?#";
  private static final Pattern REGEX = Pattern.compile("^~|[\\^$\\\\()+]");
  private static final Pattern SEPARATORS = Pattern.compile("[,|\"\\s\\p{Z}\\p{Cntrl}]+");
  private static final Pattern PLAIN = Pattern.compile("[a-z0-9*][a-z0-9.*_-]*");
  private static final Pattern NO_ASCII = Pattern.compile("[^\\x00-\\x7f]");

  private HostMistakes() {}

  /** Returns what is wrong with a pattern, the pattern and a suggestion; null if nothing is. */
  static @Nullable String warning(String pattern) {
    if (REGEX.matcher(pattern).find()) {
      return "never matches, as * is the only wildcard and matches any characters: "
          + pattern
          + hint(withoutRegex(pattern));
    }
    if (!HostName.of(pattern).equals(pattern)
        || pattern.chars().anyMatch(c -> NOT_IN_HOSTS.indexOf(c) >= 0)) {
      return "never matches, as hosts are compared without scheme, port, path and final dot: "
          + pattern;
    }
    if (pattern.endsWith(":*")) {
      return "never matches, as hosts are compared without port: "
          + pattern
          + hint(pattern.substring(0, pattern.length() - 2));
    }
    if (SEPARATORS.matcher(pattern).find()) {
      return "never matches, as it is a single host without spaces, commas and |: \""
          + pattern
          + '"'
          + listHint(SEPARATORS.matcher(pattern).replaceAll(" ").strip());
    }
    if (NO_ASCII.matcher(pattern).find()) {
      return "never matches, as requests have the ASCII form of a host: "
          + pattern
          + hint(ascii(pattern));
    }
    return pattern.startsWith(".")
        ? "never matches, as no host starts with a dot: "
            + pattern
            + listHint(pattern.substring(1) + " *" + pattern)
        : null;
  }

  private static String withoutRegex(String pattern) {
    return pattern
        .replaceAll("^~\\*?\\s*|\\^|\\$", "")
        .replaceAll("\\(?(?<!\\\\)\\.[*+]\\)?", "*")
        .replace("\\.", ".");
  }

  /** Returns the form of IDNA, or the pattern if it has none. */
  private static String ascii(String pattern) {
    try {
      return IDN.toASCII(pattern);
    } catch (IllegalArgumentException e) {
      return pattern;
    }
  }

  private static String hint(String meant) {
    return PLAIN.matcher(meant).matches() ? "; did you mean " + meant + "?" : "";
  }

  /** Suggests hosts that are separated by spaces. */
  private static String listHint(String hosts) {
    String[] all = hosts.split(" ", -1);
    for (String host : all) {
      if (hint(host).isEmpty()) {
        return "";
      }
    }
    return "; did you mean " + (all.length > 1 ? "[" + String.join(", ", all) + "]" : hosts) + "?";
  }
}
