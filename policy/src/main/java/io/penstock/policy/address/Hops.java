package io.penstock.policy.address;

import org.jspecify.annotations.Nullable;

/**
 * The addresses that a request passed through, nearest first. Not thread-safe.
 *
 * <p>Elements are parsed from the end of a header. So nothing that a client has put at its start,
 * such as an unclosed quote, changes how the elements of proxies are read.
 */
final class Hops {
  private static final int MAX_PORT_LENGTH = 5;

  private enum HopFormat {
    SINGLE,
    LISTED,
    FORWARDED
  }

  private final String value;
  private final HopFormat form;

  /** The end of the unread part; negative after the last element. */
  private int end;

  private Hops(String value, HopFormat form) {
    this.value = value;
    this.form = form;
    this.end = value.length();
  }

  /** Returns the hops of a header with a single address. */
  static Hops single(String value) {
    return new Hops(value, HopFormat.SINGLE);
  }

  /** Returns the hops of a comma-separated list of addresses. */
  static Hops listed(String value) {
    return new Hops(value, HopFormat.LISTED);
  }

  /** Returns the hops of the {@code for} parameters of RFC 7239. */
  static Hops forwarded(String value) {
    return new Hops(value, HopFormat.FORWARDED);
  }

  /** Returns the next address; null if there is none, or if the next element isn't an address. */
  @Nullable IpAddress next() {
    if (end < 0) {
      return null;
    }
    int to = end;
    int comma =
        switch (form) {
          case SINGLE -> -1;
          case LISTED -> value.lastIndexOf(',', to - 1);
          case FORWARDED -> ForwardedElement.commaBefore(value, to);
        };
    end = comma;
    return form == HopFormat.FORWARDED
        ? ForwardedElement.address(value, comma + 1, to)
        : node(value, comma + 1, to);
  }

  /** Parses an address with optional port and surrounding spaces. */
  static @Nullable IpAddress node(String text, int start, int stop) {
    int from = skipSpaces(text, start, stop);
    int to = stop;
    while (to > from && isSpace(text.charAt(to - 1))) {
      to--;
    }
    int colon = lastColon(text, from, to);
    if (colon > from && isPort(text, colon + 1, to)) {
      boolean bracketed = text.charAt(from) == '[' && text.charAt(colon - 1) == ']';
      boolean onlyColon = lastColon(text, from, colon) < from;
      if (bracketed || onlyColon) {
        to = colon;
      }
    }
    return AddressText.parse(text, from, to);
  }

  private static int lastColon(String text, int from, int to) {
    int at = to - 1;
    while (at >= from && text.charAt(at) != ':') {
      at--;
    }
    return at;
  }

  static int skipSpaces(String text, int from, int to) {
    int at = from;
    while (at < to && isSpace(text.charAt(at))) {
      at++;
    }
    return at;
  }

  static boolean isSpace(char c) {
    return c == ' ' || c == '\t';
  }

  private static boolean isPort(String text, int from, int to) {
    if (from < to && text.charAt(from) == '_') {
      return true;
    }
    for (int i = from; i < to; i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return from < to && to - from <= MAX_PORT_LENGTH;
  }
}
