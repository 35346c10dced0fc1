package io.penstock.server.proxy;

import java.util.Locale;
import java.util.Set;

/**
 * Headers by which a client could tell the origin something that is not so: for whom it asks, or
 * for what. They are dropped on the way to the origin.
 *
 * <p>Many origins read a name by the rules of CGI, by which {@code X_Forwarded_For} and {@code
 * X.Forwarded.For} are the same as {@code X-Forwarded-For}, and {@code X_Api_Key} the same as the
 * {@code X-Api-Key} that a rule counts by. So a name with anything but letters, digits and hyphens
 * is dropped, whoever sends it. Where the origin needs such names, only other spellings of those
 * that matter here are.
 */
final class ClientHeaders {
  /** Where the request goes, said once more: rules have seen the request line. */
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
          // CGI programs take it for HTTP_PROXY, the proxy that they use themselves.
          "proxy");

  /** For whom and how it was sent, as only a trusted proxy may say. */
  private static final Set<String> FORWARDING =
      Set.of(
          "forwarded",
          "x-real-ip",
          "x-client-ip",
          "x-cluster-client-ip",
          "x-originating-ip",
          "x-remote-ip",
          "x-remote-addr",
          "x-host",
          "x-url-scheme",
          "front-end-https");

  private static final String FORWARDED_PREFIX = "x-forwarded-";

  /** Names that mean something to an origin's server, of which no other spelling passes. */
  private static final Set<String> OTHERS =
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
   * Whether a header that a client sent stays here.
   *
   * @param trusted whether the client is a proxy that the policy trusts
   * @param underscores whether names with underscores and the like may pass
   */
  static boolean isDropped(String name, boolean trusted, boolean underscores) {
    if (isPlain(name)) {
      char first = (char) (name.charAt(0) | 0x20);
      return (first == 'x' || first == 'f' || first == 'p') && misleads(lower(name), trusted, true);
    }
    return !underscores || (name.length() <= MAX_LENGTH && misleads(normal(name), trusted, false));
  }

  private static boolean misleads(String name, boolean trusted, boolean plain) {
    if (REWRITING.contains(name)) {
      return true;
    }
    boolean forwards = name.startsWith(FORWARDED_PREFIX) || FORWARDING.contains(name);
    return plain ? forwards && !trusted : forwards || OTHERS.contains(name);
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  /** Whether a name has letters, digits and hyphens only, as nearly all have. */
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

  private static String normal(String name) {
    StringBuilder normal = new StringBuilder(name.length());
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      normal.append(isPlain(c) ? c : '-');
    }
    return lower(normal.toString());
  }
}
