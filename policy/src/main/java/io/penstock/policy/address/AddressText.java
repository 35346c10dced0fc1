package io.penstock.policy.address;

import org.jspecify.annotations.Nullable;

/** Parses addresses within longer texts. Not thread-safe. */
final class AddressText {
  static final int MAX_LENGTH = 64;

  private static final int GROUPS = 8;

  private final String text;
  private final int end;
  private int at;

  /** The groups before {@code ::} from the left, and those after it from the right. */
  private long headHigh;

  private long headLow;
  private long tailHigh;
  private long tailLow;
  private int count;
  private boolean gap;

  private AddressText(String text, int from, int end) {
    this.text = text;
    this.at = from;
    this.end = end;
  }

  /** Parses the address that spans the whole range; null if it isn't one. */
  static @Nullable IpAddress parse(String text, int from, int to) {
    if (to - from > MAX_LENGTH || to - from < 2) {
      return null;
    }
    if (text.charAt(from) == '[') {
      return text.charAt(to - 1) == ']' ? parseV6(text, from + 1, to - 1) : null;
    }
    long v4 = parseV4(text, from, to);
    return v4 >= 0 ? IpAddress.v4(v4) : parseV6(text, from, to);
  }

  private static long parseV4(String text, int from, int to) {
    long bits = 0;
    int octets = 0;
    int start = from;
    for (int i = from; i <= to; i++) {
      if (i == to || text.charAt(i) == '.') {
        int octet = octet(text, start, i);
        if (octet < 0 || ++octets > 4) {
          return -1;
        }
        bits = bits << Byte.SIZE | octet;
        start = i + 1;
      }
    }
    return octets == 4 ? bits : -1;
  }

  private static int octet(String text, int from, int to) {
    int value = decimal(text, from, to);
    return value <= 255 ? value : -1;
  }

  /** Parses a number of up to three digits without leading zeros; -1 if it isn't one. */
  static int decimal(String text, int from, int to) {
    int length = to - from;
    if (length < 1 || length > 3 || (length > 1 && text.charAt(from) == '0')) {
      return -1;
    }
    int value = 0;
    for (int i = from; i < to; i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      value = value * 10 + digit;
    }
    return value;
  }

  private static @Nullable IpAddress parseV6(String text, int from, int to) {
    int zone = from;
    while (zone < to && text.charAt(zone) != '%') {
      zone++;
    }
    if (zone == to) {
      return new AddressText(text, from, to).v6();
    }
    return isZone(text, zone + 1, to) ? new AddressText(text, from, zone).v6() : null;
  }

  private static boolean isZone(String text, int from, int to) {
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if (c <= ' ' || c >= 0x7f || c == ':' || c == '/' || c == '[' || c == ']') {
        return false;
      }
    }
    return from < to;
  }

  private @Nullable IpAddress v6() {
    if (text.startsWith("::", at) && at + 2 <= end) {
      at += 2;
      gap = true;
    }
    while (at < end) {
      if (!group()) {
        return null;
      }
    }
    boolean whole = gap ? count < GROUPS : count == GROUPS;
    return whole ? new IpAddress(headHigh | tailHigh, headLow | tailLow) : null;
  }

  /** Parses a group and the separator after it, or an IPv4 address at the end. */
  private boolean group() {
    int start = at;
    int value = 0;
    int digit;
    while (at < end && (digit = hexDigit(text.charAt(at))) >= 0) {
      value = value << 4 | digit;
      if (++at - start > 4) {
        return false;
      }
    }
    if (at < end && text.charAt(at) == '.') {
      long v4 = parseV4(text, start, end);
      at = end;
      return v4 >= 0 && add((int) (v4 >>> 16)) && add((int) (v4 & 0xffff));
    }
    return at > start && add(value) && (at == end || separator());
  }

  private boolean separator() {
    if (text.charAt(at++) != ':' || at == end) {
      return false;
    }
    if (text.charAt(at) == ':') {
      at++;
      boolean first = !gap;
      gap = true;
      return first;
    }
    return true;
  }

  private boolean add(int group) {
    if (count == GROUPS) {
      return false;
    }
    if (gap) {
      tailHigh = tailHigh << 16 | tailLow >>> 48;
      tailLow = tailLow << 16 | group;
    } else if (count < GROUPS / 2) {
      headHigh |= (long) group << (48 - 16 * count);
    } else {
      headLow |= (long) group << (112 - 16 * count);
    }
    count++;
    return true;
  }

  private static int hexDigit(char c) {
    return c < 0x80 ? Character.digit(c, 16) : -1;
  }
}
