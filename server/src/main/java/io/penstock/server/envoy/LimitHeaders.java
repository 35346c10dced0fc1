package io.penstock.server.envoy;

/** The names of the headers with the figures of a limit. Immutable. */
public record LimitHeaders(String limit, String remaining, String reset) {
  public static final LimitHeaders DEFAULT =
      new LimitHeaders("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset");
}
