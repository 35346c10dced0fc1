package io.penstock.server.proxy;

import io.penstock.policy.Verdict;
import io.penstock.policy.http.VerdictResponses;
import io.penstock.server.http.ResponseHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;

/** The headers that a verdict adds to the response of an origin. Immutable. */
record AddedHeaders(VerdictResponses responses, Verdict verdict) {
  private static final Set<String> RATE_LIMITS =
      Set.of(
          "ratelimit",
          "ratelimit-policy",
          "ratelimit-limit",
          "ratelimit-remaining",
          "ratelimit-reset",
          "x-ratelimit-limit",
          "x-ratelimit-remaining",
          "x-ratelimit-reset");

  private static final String DEGRADED = "penstock-degraded";
  private static final String PREFIX = "ratelimit";
  private static final int X_LENGTH = 2;

  /**
   * Returns which headers of the origin are replaced: its own rate limits, if the verdict has some,
   * because a client could not interpret two values in one field. Only Penstock states whether a
   * decision is degraded.
   */
  Predicate<String> replaced() {
    return responses.hasLevels(verdict)
        ? name -> isRateLimit(name) || isDegraded(name)
        : AddedHeaders::isDegraded;
  }

  private static boolean isDegraded(String name) {
    return name.length() == DEGRADED.length() && name.equalsIgnoreCase(DEGRADED);
  }

  private static boolean isRateLimit(String name) {
    boolean mayBe =
        name.regionMatches(true, 0, PREFIX, 0, PREFIX.length())
            || name.regionMatches(true, X_LENGTH, PREFIX, 0, PREFIX.length());
    return mayBe && RATE_LIMITS.contains(name.toLowerCase(Locale.ROOT));
  }

  void addTo(HttpServerResponse response) {
    responses.headers(verdict, new ResponseHeaders(response));
  }
}
