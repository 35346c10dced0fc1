package io.penstock.server.proxy;

import io.penstock.policy.http.NormalPath;
import io.vertx.core.http.HttpServerRequest;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where a request goes: the same bytes for the rules and for the origin. Immutable.
 *
 * @param uri the path made normal, and the query as sent
 * @param host the host that the client asked for
 */
record Target(String uri, @Nullable String host) {
  /** The target of a request; null if it is none that this proxy serves. */
  static @Nullable Target of(HttpServerRequest request) {
    String host = request.authority() == null ? null : request.authority().toString();
    String uri = request.uri();
    if (request.headers().getAll("host").size() > 1 || hasControl(uri)) {
      return null;
    }
    if (uri.startsWith("/")) {
      return new Target(NormalPath.of(uri), host);
    }
    if (uri.equals("*") && request.method().name().equals("OPTIONS")) {
      return new Target(uri, host);
    }
    return absolute(uri, host);
  }

  /** {@code http://host/path}: only for the host that the request is for. */
  private static @Nullable Target absolute(String uri, @Nullable String host) {
    int slashes = uri.indexOf("://");
    String scheme = slashes < 0 ? "" : uri.substring(0, slashes).toLowerCase(Locale.ROOT);
    if (host == null || !(scheme.equals("http") || scheme.equals("https"))) {
      return null;
    }
    String rest = uri.substring(slashes + 3);
    int path = indexOfPath(rest);
    String authority = rest.substring(0, path);
    return authority.equalsIgnoreCase(host)
        ? new Target(NormalPath.of(rest.substring(path)), host)
        : null;
  }

  private static int indexOfPath(String rest) {
    for (int i = 0; i < rest.length(); i++) {
      if (rest.charAt(i) == '/' || rest.charAt(i) == '?') {
        return i;
      }
    }
    return rest.length();
  }

  private static boolean hasControl(String uri) {
    for (int i = 0; i < uri.length(); i++) {
      char c = uri.charAt(i);
      if (c <= ' ' || c >= 0x7f) {
        return true;
      }
    }
    return false;
  }
}
