package io.penstock.policy.parameter;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Percent-encoding: UTF-8 bytes as {@code %41}. Invalid escapes are kept as they are. */
final class Escapes {
  static final int LENGTH = 3;

  /** The length of an escape such as {@code %u0041}, which ASP.NET decodes. */
  static final int LONG_LENGTH = 6;

  private Escapes() {}

  /** Returns the byte that is escaped at a position; -1 if there is no escape. */
  static int at(String text, int at, int to) {
    return at + LENGTH > to || text.charAt(at) != '%' ? -1 : hex(text, at + 1, at + LENGTH);
  }

  /** Returns the character that is escaped as {@code %u0041} at a position; -1 if none is. */
  static int longAt(String text, int at, int to) {
    return at + LONG_LENGTH > to
            || text.charAt(at) != '%'
            || (text.charAt(at + 1) != 'u' && text.charAt(at + 1) != 'U')
        ? -1
        : hex(text, at + 2, at + LONG_LENGTH);
  }

  private static int hex(String text, int from, int to) {
    int value = 0;
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      int digit = c < 0x80 ? Character.digit(c, 16) : -1;
      if (digit < 0) {
        return -1;
      }
      value = value << 4 | digit;
    }
    return value;
  }

  /**
   * Decodes a run of escaped bytes to {@code decoded} and returns its end. Characters beyond ASCII
   * take several bytes.
   */
  static int decodeRun(String text, int from, int to, StringBuilder decoded) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int at = from;
    int escaped;
    while (at < to && (escaped = at(text, at, to)) >= 0) {
      bytes.write(escaped);
      at += LENGTH;
    }
    decoded.append(bytes.toString(StandardCharsets.UTF_8));
    return at;
  }
}
