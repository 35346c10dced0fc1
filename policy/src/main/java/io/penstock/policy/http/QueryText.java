package io.penstock.policy.http;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Finds parameters in a form-encoded query: {@code a=b&c=d}, {@code +} for a space, UTF-8 bytes as
 * {@code %41}. Invalid escapes are kept as they are.
 */
final class QueryText {
  private static final int ESCAPE_LENGTH = 3;

  private QueryText() {}

  /** Returns the decoded values of a parameter. */
  static HeaderValues find(String text, int start, String name) {
    HeaderValues values = new HeaderValues();
    int from = start;
    while (from <= text.length()) {
      int end = indexOrEnd(text, '&', from, text.length());
      int equals = indexOrEnd(text, '=', from, end);
      if (end > from && isNamed(text, from, equals, name)) {
        values.add(decode(text, Math.min(equals + 1, end), end));
      }
      from = end + 1;
    }
    return values;
  }

  private static int indexOrEnd(String text, char delimiter, int from, int end) {
    int at = from;
    while (at < end && text.charAt(at) != delimiter) {
      at++;
    }
    return at;
  }

  private static boolean isNamed(String text, int from, int to, String name) {
    int matched = 0;
    for (int i = from; i < to; i++) {
      int c = text.charAt(i);
      if (c == '%' && escaped(text, i, to) >= 0) {
        c = escaped(text, i, to);
        i += ESCAPE_LENGTH - 1;
        if (c >= 0x80) {
          return decode(text, from, to).equals(name);
        }
      } else if (c == '+') {
        c = ' ';
      }
      if (matched == name.length() || name.charAt(matched++) != c) {
        return false;
      }
    }
    return matched == name.length();
  }

  private static String decode(String text, int from, int to) {
    int plain = from;
    while (plain < to && text.charAt(plain) != '%' && text.charAt(plain) != '+') {
      plain++;
    }
    if (plain == to) {
      return text.substring(from, to);
    }
    StringBuilder decoded = new StringBuilder(to - from).append(text, from, plain);
    for (int i = plain; i < to; ) {
      char c = text.charAt(i);
      int escaped = c == '%' ? escaped(text, i, to) : -1;
      if (escaped >= 0x80) {
        i = decodeRun(text, i, to, decoded);
      } else if (escaped >= 0) {
        decoded.append((char) escaped);
        i += ESCAPE_LENGTH;
      } else {
        decoded.append(c == '+' ? ' ' : c);
        i++;
      }
    }
    return decoded.toString();
  }

  /** Decodes a run of escapes, because characters beyond ASCII take several. */
  private static int decodeRun(String text, int from, int to, StringBuilder decoded) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int at = from;
    int escaped;
    while (at < to && (escaped = escaped(text, at, to)) >= 0) {
      bytes.write(escaped);
      at += ESCAPE_LENGTH;
    }
    decoded.append(bytes.toString(StandardCharsets.UTF_8));
    return at;
  }

  /** Returns the byte that is escaped at a position; -1 if there is no escape. */
  private static int escaped(String text, int at, int to) {
    if (at + ESCAPE_LENGTH > to || text.charAt(at) != '%') {
      return -1;
    }
    int high = hexDigit(text.charAt(at + 1));
    int low = hexDigit(text.charAt(at + 2));
    return high < 0 || low < 0 ? -1 : high << 4 | low;
  }

  private static int hexDigit(char c) {
    return c < 0x80 ? Character.digit(c, 16) : -1;
  }
}
