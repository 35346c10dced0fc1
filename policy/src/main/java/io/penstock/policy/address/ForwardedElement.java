package io.penstock.policy.address;

import org.jspecify.annotations.Nullable;

/** An element of a {@code Forwarded} header: {@code for="[2001:db8::1]:80";proto=http}. */
final class ForwardedElement {
  private static final String FOR = "for";

  private ForwardedElement() {}

  /**
   * Returns the position of the comma before the element that ends at {@code end}; -1 if there is
   * none.
   */
  static int commaBefore(String text, int end) {
    boolean quoted = false;
    for (int i = end - 1; i >= 0; i--) {
      char c = text.charAt(i);
      if (c == '"') {
        quoted = !quoted || isEscaped(text, i);
      } else if (c == ',' && !quoted) {
        return i;
      }
    }
    return -1;
  }

  private static boolean isEscaped(String text, int at) {
    int i = at - 1;
    while (i >= 0 && text.charAt(i) == '\\') {
      i--;
    }
    return (at - 1 - i) % 2 == 1;
  }

  /**
   * Returns the address of the {@code for} parameter; null if it is missing, repeated or malformed.
   */
  static @Nullable IpAddress address(String text, int from, int to) {
    IpAddress address = null;
    int at = from;
    while (at < to) {
      int name = Hops.skipSpaces(text, at, to);
      int equals = text.indexOf('=', name);
      if (equals < 0 || equals >= to) {
        return null;
      }
      int end = valueEnd(text, equals + 1, to);
      if (end < 0) {
        return null;
      }
      if (equals - name == FOR.length() && text.regionMatches(true, name, FOR, 0, FOR.length())) {
        if (address != null) {
          return null;
        }
        address = value(text, equals + 1, end);
        if (address == null) {
          return null;
        }
      }
      at = end + 1;
    }
    return address;
  }

  /**
   * Returns the position of the semicolon after a value, or {@code to}; -1 if a quote is not
   * closed.
   */
  private static int valueEnd(String text, int from, int to) {
    boolean quoted = false;
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if (c == '"') {
        quoted = !quoted;
      } else if (c == '\\' && quoted) {
        i++;
      } else if (c == ';' && !quoted) {
        return i;
      }
    }
    return quoted ? -1 : to;
  }

  private static @Nullable IpAddress value(String text, int from, int stop) {
    int to = stop;
    while (to > from && Hops.isSpace(text.charAt(to - 1))) {
      to--;
    }
    if (to - from >= 2 && text.charAt(from) == '"' && text.charAt(to - 1) == '"') {
      return Hops.node(text, from + 1, to - 1);
    }
    return Hops.node(text, from, to);
  }
}
