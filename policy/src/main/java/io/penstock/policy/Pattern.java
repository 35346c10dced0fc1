package io.penstock.policy;

/**
 * A path or host with {@code *} for any run of characters, none included. Immutable. There is no
 * other special character, so matching takes time in proportion to pattern times text at worst.
 */
public record Pattern(String text) {
  public boolean isLiteral() {
    return text.indexOf('*') < 0;
  }

  /** The text before the first {@code *}: everything that matches begins with it. */
  public String literalPrefix() {
    int star = text.indexOf('*');
    return star < 0 ? text : text.substring(0, star);
  }

  /** The text after the last {@code *}: everything that matches ends with it. */
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
   * Whether everything that {@code other} matches is matched by this; no for some that would be.
   */
  public boolean covers(Pattern other) {
    // A star of the other stands for itself: only a star of ours can take it in.
    return matches(other.text);
  }
}
