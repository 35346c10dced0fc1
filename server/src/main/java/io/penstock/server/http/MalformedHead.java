package io.penstock.server.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http2.Http2Headers;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.net.HostAndPort;
import org.jspecify.annotations.Nullable;

/**
 * Marks malformed heads of HTTP/2 streams. Vert.x throws for some, which closes the connection, and
 * resets the streams of others. They are replaced by requests for a target that no client can send,
 * to which every listener responds with 400.
 */
final class MalformedHead {
  static final String TARGET = "*malformed";

  private MalformedHead() {}

  /** Returns whether a request was marked as malformed. */
  static boolean isMarked(@Nullable String target) {
    return target != null && target.length() > 1 && target.charAt(0) == '*';
  }

  /** Returns the head unchanged, or a marked one if it is malformed. */
  static Http2Headers markIfMalformed(Http2Headers head) {
    if (!isMalformed(head)) {
      return head;
    }
    head.clear();
    return head.method("GET").scheme("http").path(TARGET);
  }

  private static boolean isMalformed(Http2Headers head) {
    CharSequence method = head.method();
    CharSequence authority = head.authority();
    CharSequence host = head.get(HttpHeaderNames.HOST);
    if (method == null || !isToken(method) || !isHost(authority) || !isHost(host)) {
      return true;
    }
    if (authority != null && host != null && !authority.toString().contentEquals(host)) {
      return true;
    }
    boolean isConnect = HttpMethod.CONNECT.name().contentEquals(method);
    return isConnect
        ? head.scheme() != null || head.path() != null || (authority == null && host == null)
        : head.scheme() == null || head.path() == null || head.path().length() == 0;
  }

  private static boolean isHost(@Nullable CharSequence text) {
    if (text == null) {
      return true;
    }
    try {
      return !HostText.isInvalid(text) && HostAndPort.parseAuthority(text.toString(), -1) != null;
    } catch (RuntimeException vertxCannotParseIt) {
      return false;
    }
  }

  private static boolean isToken(CharSequence method) {
    for (int i = 0; i < method.length(); i++) {
      char c = method.charAt(i);
      boolean isAlphanumeric =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!isAlphanumeric && "!#$%&'*+-.^_`|~".indexOf(c) < 0) {
        return false;
      }
    }
    return method.length() > 0;
  }
}
