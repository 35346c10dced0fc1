package io.penstock.policy.load;

import java.util.Locale;
import java.util.Set;

/** The registered HTTP methods, and PURGE, which caches use. */
final class HttpMethods {
  private static final Set<String> KNOWN =
      Set.of(
          ("GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT QUERY PURGE ACL BASELINE-CONTROL"
                  + " BIND CHECKIN CHECKOUT COPY LABEL LINK LOCK MERGE MKACTIVITY MKCALENDAR MKCOL"
                  + " MKREDIRECTREF MKWORKSPACE MOVE ORDERPATCH PRI PROPFIND PROPPATCH REBIND"
                  + " REPORT SEARCH UNBIND UNCHECKOUT UNLINK UNLOCK UPDATE UPDATEREDIRECTREF"
                  + " VERSION-CONTROL")
              .split(" "));

  /** The methods that are suggested, so that a typo isn't corrected to a rare one. */
  private static final Set<String> COMMON =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

  private HttpMethods() {}

  /**
   * Returns the method in upper case.
   *
   * @throws IllegalArgumentException if it is unknown
   */
  static String parse(String text) {
    String method = text.toUpperCase(Locale.ROOT);
    if (!KNOWN.contains(method)) {
      String advice =
          text.equals("*")
              ? "; omit the condition to match all methods"
              : text.indexOf(',') >= 0
                  ? "; write a list: [" + text.replaceAll("\\s*,\\s*", ", ") + "]"
                  : Suggestions.hint(method, COMMON);
      throw new IllegalArgumentException("must be an HTTP method such as GET: " + text + advice);
    }
    return method;
  }
}
