package io.penstock.server.decision;

import io.penstock.policy.HostName;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The target of the request that a proxy asks about. Immutable.
 *
 * @param target the path, and the query after a question mark
 * @param host the host that the client requested
 */
record OriginalTarget(String target, @Nullable String host) {
  private static final List<String> SCHEMES = List.of("http://", "https://");

  /**
   * Reads a target in origin form ({@code /login?x=1}), in asterisk form for {@code OPTIONS}, or in
   * absolute form ({@code http://host/login}). Rules match the path of an absolute target as that
   * of any other request.
   *
   * <p>Everything else is rejected, because origins interpret it in different ways. This includes
   * fragments: some origins remove them, others treat them as part of the path or of a parameter.
   *
   * @param host the host that the client requested; null if the proxy doesn't send it
   * @return null if the target has to be rejected
   */
  static @Nullable OriginalTarget of(String method, String uri, @Nullable String host) {
    if (uri.indexOf('#') >= 0) {
      return null;
    }
    if (uri.startsWith("/") || (uri.equals("*") && method.equals("OPTIONS"))) {
      return new OriginalTarget(uri, host);
    }
    for (String scheme : SCHEMES) {
      if (uri.regionMatches(true, 0, scheme, 0, scheme.length())) {
        return absolute(uri.substring(scheme.length()), host);
      }
    }
    return null;
  }

  /**
   * Reads the part of an absolute target after the scheme. The host of the target is used; if the
   * proxy sends a host, too, both must be equal.
   */
  private static @Nullable OriginalTarget absolute(String rest, @Nullable String host) {
    int end = indexOfPath(rest);
    String authority = rest.substring(0, end);
    boolean isHost = !authority.isEmpty() && authority.indexOf('@') < 0;
    if (!isHost || (host != null && !HostName.of(host).equals(HostName.of(authority)))) {
      return null;
    }
    String target = rest.substring(end);
    return new OriginalTarget(target.startsWith("/") ? target : "/" + target, authority);
  }

  private static int indexOfPath(String rest) {
    int at = 0;
    while (at < rest.length() && rest.charAt(at) != '/' && rest.charAt(at) != '?') {
      at++;
    }
    return at;
  }
}
