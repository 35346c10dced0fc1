package io.penstock.server.proxy;

import io.penstock.server.http.HeaderNames;
import io.vertx.core.MultiMap;
import java.util.List;

/** The rate limit headers of an origin. */
final class RateLimitHeaders {
  private static final List<CharSequence> NAMES =
      List.of(
          HeaderNames.of("ratelimit"),
          HeaderNames.of("ratelimit-policy"),
          HeaderNames.of("ratelimit-limit"),
          HeaderNames.of("ratelimit-remaining"),
          HeaderNames.of("ratelimit-reset"),
          HeaderNames.of("x-ratelimit-limit"),
          HeaderNames.of("x-ratelimit-remaining"),
          HeaderNames.of("x-ratelimit-reset"));

  private RateLimitHeaders() {}

  /**
   * Removes the headers, which are replaced by ours: a client could not interpret two values in one
   * field.
   */
  static void remove(MultiMap headers) {
    for (int i = 0; i < NAMES.size(); i++) {
      headers.remove(NAMES.get(i));
    }
  }
}
