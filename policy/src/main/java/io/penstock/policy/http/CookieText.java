package io.penstock.policy.http;

import org.jspecify.annotations.Nullable;

/** Finds cookies in a header as RFC 6265 has it: {@code a=b; c="d"}. */
final class CookieText {
  private CookieText() {}

  /** The values of a cookie without quotes around; null if it isn't there. */
  static @Nullable String find(String text, String name) {
    Values values = new Values();
    int length = text.length();
    int from = 0;
    while (from < length) {
      int end = from;
      int equals = -1;
      for (; end < length && text.charAt(end) != ';'; end++) {
        if (equals < 0 && text.charAt(end) == '=') {
          equals = end;
        }
      }
      if (equals >= 0 && isNamed(text, from, equals, name)) {
        values.add(unquoted(text, equals + 1, end));
      }
      from = end + 1;
    }
    return values.joined();
  }

  private static boolean isNamed(String text, int start, int end, String name) {
    int from = skipSpaces(text, start, end);
    int to = trimSpaces(text, from, end);
    return to - from == name.length() && text.startsWith(name, from);
  }

  private static String unquoted(String text, int start, int end) {
    int from = skipSpaces(text, start, end);
    int to = trimSpaces(text, from, end);
    boolean quoted = to - from >= 2 && text.charAt(from) == '"' && text.charAt(to - 1) == '"';
    return quoted ? text.substring(from + 1, to - 1) : text.substring(from, to);
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
