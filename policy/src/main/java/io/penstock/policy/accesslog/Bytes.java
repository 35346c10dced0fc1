package io.penstock.policy.accesslog;

/** Searches in bytes. All methods return the end of the range if nothing is found. */
final class Bytes {
  private Bytes() {}

  static int indexOf(byte[] text, int c, int from, int to) {
    int at = from;
    while (at < to && text[at] != c) {
      at++;
    }
    return at;
  }

  /** Returns the position of the last occurrence, or one before the range. */
  static int lastIndexOf(byte[] text, int c, int from, int to) {
    int at = to - 1;
    while (at >= from && text[at] != c) {
      at--;
    }
    return at;
  }

  /** Returns the closing quote of a value that starts at {@code from}, after the opening one. */
  static int closingQuote(byte[] text, int from, int to) {
    int at = from;
    while (at < to && text[at] != '"') {
      at += text[at] == '\\' ? 2 : 1;
    }
    return Math.min(at, to);
  }

  static boolean startsWith(byte[] text, String prefix, int from, int to) {
    if (to - from < prefix.length()) {
      return false;
    }
    for (int i = 0; i < prefix.length(); i++) {
      if (text[from + i] != prefix.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  static boolean contains(byte[] text, int c, int from, int to) {
    return indexOf(text, c, from, to) < to;
  }

  static boolean isDigit(byte[] text, int at, int to) {
    return at < to && text[at] >= '0' && text[at] <= '9';
  }
}
