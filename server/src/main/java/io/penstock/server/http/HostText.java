package io.penstock.server.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Hosts that Vert.x can't parse. Its parser takes the two characters behind a {@code %} from
 * another place of the text, and throws if there is none: {@code Host: a%20b}. No host name that a
 * client could reach has one, except for the zone of an address in brackets.
 */
final class HostText {
  private HostText() {}

  /** Whether the host of a request can't be one. */
  static boolean isBad(HttpHeaders headers) {
    return isBad(headers.get(HttpHeaderNames.HOST));
  }

  static boolean isBad(@Nullable CharSequence host) {
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
