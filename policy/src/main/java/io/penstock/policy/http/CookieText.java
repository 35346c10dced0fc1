package io.penstock.policy.http;

import java.util.function.BiConsumer;

/** Parses the cookies in a header according to RFC 6265: {@code a=b; c="d"}. */
public final class CookieText {
  private CookieText() {}

  /**
   * Passes the name and the unquoted value of each cookie to {@code cookies}, in the order sent.
   */
  public static void each(String text, BiConsumer<String, String> cookies) {
    for (int from = 0; from < text.length(); ) {
      int end = end(text, from);
      int equals = equalsSign(text, from, end);
      if (equals >= 0) {
        cookies.accept(trimmed(text, from, equals), unquoted(text, equals + 1, end));
      }
      from = end + 1;
    }
  }

  /** Returns the unquoted values of a cookie. */
  static HeaderValues find(String text, String name) {
    HeaderValues values = new HeaderValues();
    for (int from = 0; from < text.length(); ) {
      int end = end(text, from);
      int equals = equalsSign(text, from, end);
      if (equals >= 0 && isNamed(text, from, equals, name)) {
        values.add(unquoted(text, equals + 1, end));
      }
      from = end + 1;
    }
    return values;
  }

  /** Returns where the cookie that starts at {@code from} ends. */
  private static int end(String text, int from) {
    int semicolon = text.indexOf(';', from);
    return semicolon < 0 ? text.length() : semicolon;
  }

  private static int equalsSign(String text, int from, int end) {
    for (int i = from; i < end; i++) {
      if (text.charAt(i) == '=') {
        return i;
      }
    }
    return -1;
  }

  private static boolean isNamed(String text, int start, int end, String name) {
    int from = skipSpaces(text, start, end);
    int to = trimSpaces(text, from, end);
    return to - from == name.length() && text.startsWith(name, from);
  }

  private static String trimmed(String text, int start, int end) {
    int from = skipSpaces(text, start, end);
    return text.substring(from, trimSpaces(text, from, end));
  }

  private static String unquoted(String text, int start, int end) {
    String value = trimmed(text, start, end);
    boolean quoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
    return quoted ? value.substring(1, value.length() - 1) : value;
  }

  private static int skipSpaces(String text, int from, int to) {
    int at = from;
    while (at < to && isSpace(text.charAt(at))) {
      at++;
    }
    return at;
  }

  private static int trimSpaces(String text, int from, int to) {
    int at = to;
    while (at > from && isSpace(text.charAt(at - 1))) {
      at--;
    }
    return at;
  }

  private static boolean isSpace(char c) {
    return c == ' ' || c == '\t';
  }
}
