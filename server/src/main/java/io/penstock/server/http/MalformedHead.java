package io.penstock.server.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http2.Http2Headers;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.net.HostAndPort;
import org.jspecify.annotations.Nullable;

/**
 * Heads of HTTP/2 streams that Vert.x can't take: it throws for some, which ends the connection,
 * and resets the streams of others. They become requests for a target that no client can ask for,
 * which every listener answers 400.
 */
final class MalformedHead {
  private static final String TARGET = "*malformed";

  private MalformedHead() {}

  /** Whether a request has no target that there could be. */
  static boolean isFor(@Nullable String target) {
    return target != null && target.length() > 1 && target.charAt(0) == '*';
  }

  /** The head as it is, unless it is malformed. */
  static Http2Headers marked(Http2Headers head) {
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
      return !HostText.isBad(text) && HostAndPort.parseAuthority(text.toString(), -1) != null;
    } catch (RuntimeException vertxCannotParseIt) {
      return false;
    }
  }

  private static boolean isToken(CharSequence method) {
    for (int i = 0; i < method.length(); i++) {
      char c = method.charAt(i);
      boolean isWord = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!isWord && "!#$%&'*+-.^_`|~".indexOf(c) < 0) {
        return false;
      }
    }
    return method.length() > 0;
  }
}
