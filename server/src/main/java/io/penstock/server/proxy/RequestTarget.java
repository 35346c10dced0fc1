package io.penstock.server.proxy;

import io.penstock.policy.path.NormalPath;
import io.penstock.policy.path.PathSettings;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The target of a request, identical for rules and for the origin. Immutable.
 *
 * @param uri the normalized path, and the query as sent
 * @param host the host that the client requested
 */
record RequestTarget(String uri, @Nullable String host) {
  private static final String HOST_MARKS = "_.~!$&'()*+,;=-";
  private static final int MAX_PORT_DIGITS = 5;

  /** Returns the target of a request; null if this proxy has to reject it. */
  static @Nullable RequestTarget of(HttpServerRequest request, PathSettings paths) {
    String host = request.authority() == null ? null : request.authority().toString();
    String uri = request.uri();
    if (!hasValidHost(request, host) || hasControl(uri)) {
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

  /** Returns whether a request has no target because its path is ambiguous. */
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

  /** Reads {@code http://host/path}, where the host must be that of the request. */
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

  /**
   * Returns whether there is exactly one host, and it is valid. HTTP/1.0 doesn't require a host,
   * but without one no rule on {@code host} would apply.
   */
  private static boolean hasValidHost(HttpServerRequest request, @Nullable String host) {
    List<String> sent = request.headers().getAll(HttpHeaders.HOST);
    return host != null && sent.size() <= 1 && (sent.isEmpty() || isHost(sent.get(0)));
  }

  /** Returns whether a text is a name or an address, optionally followed by a port. */
  private static boolean isHost(String text) {
    boolean isLiteral = text.startsWith("[");
    int end = isLiteral ? text.indexOf(']') + 1 : text.indexOf(':');
    end = end < 0 ? text.length() : end;
    boolean hasName =
        isLiteral ? hasOnly(text, 1, end - 1, ":.") : hasOnly(text, 0, end, HOST_MARKS);
    return hasName && (end == text.length() || isPort(text, end));
  }

  /** Returns whether a part is not empty, and consists of letters, digits and the given marks. */
  private static boolean hasOnly(String text, int from, int to, String marks) {
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      boolean isAlphanumeric = isIn(c, 'a', 'z') || isIn(c, 'A', 'Z') || isIn(c, '0', '9');
      if (!isAlphanumeric && marks.indexOf(c) < 0) {
        return false;
      }
    }
    return from < to;
  }

  /** Returns whether the rest of a text is a colon and a number. */
  private static boolean isPort(String text, int from) {
    int length = text.length() - from;
    boolean valid = length > 1 && length <= 1 + MAX_PORT_DIGITS;
    for (int i = from + 1; i < text.length(); i++) {
      valid &= isIn(text.charAt(i), '0', '9');
    }
    return valid && text.charAt(from) == ':';
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
