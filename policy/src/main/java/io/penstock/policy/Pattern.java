package io.penstock.policy;

/**
 * A path or host pattern in which {@code *} matches any run of characters, including none.
 * Immutable. There are no other special characters, so the worst-case matching time is proportional
 * to the length of the pattern times the length of the text.
 */
public record Pattern(String text) {
  public boolean isLiteral() {
    return text.indexOf('*') < 0;
  }

  /** Returns the text before the first {@code *}. Everything that matches starts with it. */
  public String literalPrefix() {
    int star = text.indexOf('*');
    return star < 0 ? text : text.substring(0, star);
  }

  /** Returns the text after the last {@code *}. Everything that matches ends with it. */
  public String literalSuffix() {
    return text.substring(text.lastIndexOf('*') + 1);
  }

  public boolean matches(String value) {
    int p = 0;
    int v = 0;
    int star = -1;
    int resume = 0;
    while (v < value.length()) {
      if (p < text.length() && text.charAt(p) == '*') {
        star = p++;
        resume = v;
      } else if (p < text.length() && text.charAt(p) == value.charAt(v)) {
        p++;
        v++;
      } else if (star >= 0) {
        p = star + 1;
        v = ++resume;
      } else {
        return false;
      }
    }
    while (p < text.length() && text.charAt(p) == '*') {
      p++;
    }
    return p == text.length();
  }

  /**
   * Returns whether this pattern provably matches everything that {@code other} matches. May return
   * false for a pattern that does.
   */
  public boolean covers(Pattern other) {
    // A star of the other pattern is compared as a plain character, so only a star of this pattern
    // covers it.
    return matches(other.text);
  }
}
