package io.penstock.server.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Detects hosts that Vert.x can't parse. Its parser reads the two characters after a {@code %} from
 * a wrong position, and throws if there is none: {@code Host: a%20b}. No reachable host name
 * contains one, except for the zone of an address in brackets.
 */
final class HostText {
  private HostText() {}

  /** Returns whether the host of a request is invalid. */
  static boolean isInvalid(HttpHeaders headers) {
    return isInvalid(headers.get(HttpHeaderNames.HOST));
  }

  static boolean isInvalid(@Nullable CharSequence host) {
    if (host == null) {
      return false;
    }
    boolean isAddress = host.length() > 0 && host.charAt(0) == '[';
    for (int i = 0; i < host.length(); i++) {
      char c = host.charAt(i);
      if (isAddress && c == ']') {
        isAddress = false;
      } else if (c == '%' && !isAddress) {
        return true;
      }
    }
    return isAddress;
  }
}
