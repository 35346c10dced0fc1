package io.penstock.server.proxy;

import io.penstock.policy.http.NormalPath;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a request goes: the same bytes for the rules and for the origin. Immutable.
 *
 * @param uri the path made normal, and the query as sent
 * @param host the host that the client asked for
 */
record Target(String uri, @Nullable String host) {
  private static final Pattern HOST = Pattern.compile("[\\w.~%!$&'()*+,;=:\\[\\]-]+");

  /** The target of a request; null if it is none that this proxy serves. */
  static @Nullable Target of(HttpServerRequest request) {
    String host = request.authority() == null ? null : request.authority().toString();
    String uri = request.uri();
    if (!isCleanHost(request, host) || hasControl(uri)) {
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

  /** One host at most, one at least since HTTP/1.1, and nothing in it that is no host. */
  private static boolean isCleanHost(HttpServerRequest request, @Nullable String host) {
    List<String> sent = request.headers().getAll("host");
    if (sent.size() > 1 || (host == null && request.version() != HttpVersion.HTTP_1_0)) {
      return false;
    }
    return sent.stream().allMatch(text -> HOST.matcher(text).matches());
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
