package io.penstock.server.proxy;

import io.penstock.policy.path.NormalPath;
import io.penstock.policy.path.PathSettings;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where a request goes: the same bytes for the rules and for the origin. Immutable.
 *
 * @param uri the path made normal, and the query as sent
 * @param host the host that the client asked for
 */
record RequestTarget(String uri, @Nullable String host) {
  private static final String HOST_MARKS = "_.~%!$&'()*+,;=:[]-";

  /** The target of a request; null if it is none that this proxy serves. */
  static @Nullable RequestTarget of(HttpServerRequest request, PathSettings paths) {
    String host = request.authority() == null ? null : request.authority().toString();
    String uri = request.uri();
    if (!isCleanHost(request, host) || hasControl(uri)) {
      return null;
    }
    if (uri.startsWith("/")) {
      return of(uri, host, paths);
    }
    if (uri.equals("*") && request.method().name().equals("OPTIONS")) {
      return new RequestTarget(uri, host);
    }
    return absolute(uri, host, paths);
  }

  /** Whether a request has no target because its path could be read in more than one way. */
  static boolean hasRejectedPath(HttpServerRequest request, PathSettings paths) {
    String uri = request.uri();
    int path = uri.startsWith("/") ? 0 : uri.indexOf('/', uri.indexOf("://") + 3);
    return path >= 0
        && !hasControl(uri)
        && NormalPath.forwarded(uri.substring(path), paths) == null;
  }

  private static @Nullable RequestTarget of(String uri, @Nullable String host, PathSettings paths) {
    String normal = NormalPath.forwarded(uri, paths);
    return normal == null ? null : new RequestTarget(normal, host);
  }

  /** {@code http://host/path}: only for the host that the request is for. */
  private static @Nullable RequestTarget absolute(
      String uri, @Nullable String host, PathSettings paths) {
    int slashes = uri.indexOf("://");
    String scheme = slashes < 0 ? "" : uri.substring(0, slashes).toLowerCase(Locale.ROOT);
    if (host == null || !(scheme.equals("http") || scheme.equals("https"))) {
      return null;
    }
    String rest = uri.substring(slashes + 3);
    int path = indexOfPath(rest);
    String authority = rest.substring(0, path);
    return authority.equalsIgnoreCase(host) ? of(rest.substring(path), host, paths) : null;
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
    List<String> sent = request.headers().getAll(HttpHeaders.HOST);
    if (sent.size() > 1 || (host == null && request.version() != HttpVersion.HTTP_1_0)) {
      return false;
    }
    return sent.isEmpty() || isHost(sent.get(0));
  }

  private static boolean isHost(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean isWord = isIn(c, 'a', 'z') || isIn(c, 'A', 'Z') || isIn(c, '0', '9');
      if (!isWord && HOST_MARKS.indexOf(c) < 0) {
        return false;
      }
    }
    return !text.isEmpty();
  }

  private static boolean isIn(char c, char first, char last) {
    return c >= first && c <= last;
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
