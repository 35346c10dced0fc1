package io.penstock.server.proxy;

import java.util.Locale;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Selects the headers with which a client could mislead the origin about the sender or the target
 * of a request. They are not forwarded.
 *
 * <p>Many origins map header names as CGI does: {@code X_Forwarded_For} and {@code X.Forwarded.For}
 * become the same as {@code X-Forwarded-For}, and {@code X_Api_Key} the same as the {@code
 * X-Api-Key} that a rule uses as a key. Therefore names with characters other than letters, digits
 * and hyphens are dropped, even if a trusted proxy sends them. If the origin needs such names, only
 * variants of the names that matter to Penstock are dropped.
 */
final class ClientHeaders {
  /** Headers that override the target, although rules have matched the request line. */
  private static final Set<String> REWRITING =
      Set.of(
          "x-original-url",
          "x-original-uri",
          "x-original-path",
          "x-original-method",
          "x-original-host",
          "x-rewrite-url",
          "x-rewrite-uri",
          "x-override-url",
          "x-http-host-override",
          "x-host-override",
          "x-envoy-original-path",
          // CGI programs read it as HTTP_PROXY, the proxy for their own requests.
          "proxy");

  /** Headers that describe the original sender, which only a trusted proxy may set. */
  private static final Set<String> FORWARDING =
      Set.of(
          "forwarded",
          "forwarded-for",
          "x-forwarded",
          "x-forward-for",
          "x-original-forwarded-for",
          "x-original-remote-addr",
          "x-real-ip",
          "x-client-ip",
          "client-ip",
          "true-client-ip",
          "x-true-client-ip",
          "x-cluster-client-ip",
          "x-originating-ip",
          "x-remote-ip",
          "x-remote-addr",
          "x-proxyuser-ip",
          "wl-proxy-client-ip",
          // Set by content delivery networks and hosting platforms.
          "ali-cdn-real-ip",
          "cdn-src-ip",
          "cf-connecting-ip",
          "cf-connecting-ipv6",
          "cf-pseudo-ipv4",
          "cloudfront-viewer-address",
          "do-connecting-ip",
          "fastly-client-ip",
          "fly-client-ip",
          "incap-client-ip",
          "x-appengine-user-ip",
          "x-arr-clientip",
          "x-azure-clientip",
          "x-azure-socketip",
          "x-envoy-external-address",
          "x-envoy-original-host",
          "x-nf-client-connection-ip",
          "x-sucuri-clientip",
          "x-vercel-forwarded-for",
          "x-vercel-proxied-for",
          "x-host",
          "x-url-scheme",
          "front-end-https");

  private static final String FORWARDED_PREFIX = "x-forwarded-";

  /** Names with a meaning to the origin's server, of which no variant is forwarded. */
  private static final Set<String> PROTECTED =
      Set.of(
          "host",
          "connection",
          "content-length",
          "transfer-encoding",
          "via",
          "x-request-id",
          "authorization",
          "cookie");

  private static final int MAX_LENGTH = 64;

  private ClientHeaders() {}

  /**
   * Returns whether to drop a header.
   *
   * @param trusted whether the client is a proxy that the policy trusts
   * @param underscores whether names with underscores and similar characters may pass
   */
  static boolean isDropped(String name, boolean trusted, boolean underscores) {
    if (isPlain(name)) {
      return mayMislead(name) && isMisleading(lower(name), trusted, true);
    }
    return !underscores
        || (name.length() <= MAX_LENGTH && isMisleading(normalize(name), trusted, false));
  }

  /**
   * Returns whether the proxy drops or replaces a header that a rule refers to. A name with other
   * characters than letters, digits and hyphens is not considered.
   *
   * @param name in lower case
   * @param trusted returns whether the client is a trusted proxy; called only if it matters
   */
  static boolean isReplaced(String name, BooleanSupplier trusted) {
    return !name.isEmpty()
        && mayMislead(name)
        && isMisleading(name, false, true)
        && isMisleading(name, trusted.getAsBoolean(), true);
  }

  /** A quick test that excludes nearly all other headers: all names here pass it. */
  private static boolean mayMislead(String name) {
    char first = (char) (name.charAt(0) | 0x20);
    char last = (char) (name.charAt(name.length() - 1) | 0x20);
    return first == 'x'
        || first == 'f'
        || first == 'p'
        // As in Client-IP, CF-Pseudo-IPv4, CF-Connecting-IPv6 and CloudFront-Viewer-Address.
        || last == 'p'
        || last == '4'
        || last == '6'
        || last == 's';
  }

  private static boolean isMisleading(String name, boolean trusted, boolean plain) {
    if (REWRITING.contains(name)) {
      return true;
    }
    boolean forwards = name.startsWith(FORWARDED_PREFIX) || FORWARDING.contains(name);
    return plain ? forwards && !trusted : forwards || PROTECTED.contains(name);
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  /** Returns whether a name consists of letters, digits and hyphens only, as nearly all do. */
  private static boolean isPlain(String name) {
    for (int i = 0; i < name.length(); i++) {
      if (!isPlain(name.charAt(i))) {
        return false;
      }
    }
    return !name.isEmpty();
  }

  private static boolean isPlain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  }

  private static String normalize(String name) {
    StringBuilder normalized = new StringBuilder(name.length());
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      normalized.append(isPlain(c) ? c : '-');
    }
    return lower(normalized.toString());
  }
}
