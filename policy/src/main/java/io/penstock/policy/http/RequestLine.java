package io.penstock.policy.http;

import org.jspecify.annotations.Nullable;

/** The request line. Called only for values that rules refer to. Used by one thread at a time. */
public interface RequestLine {
  /** Returns the method as sent. */
  @Nullable String method();

  /** Returns the path and the query after a question mark, still encoded. */
  @Nullable String target();

  /** Returns the requested host, with or without a port. */
  @Nullable String host();

  /** Returns a request line with known values. */
  static RequestLine of(@Nullable String method, @Nullable String target, @Nullable String host) {
    record FixedRequestLine(@Nullable String method, @Nullable String target, @Nullable String host)
        implements RequestLine {}
    return new FixedRequestLine(method, target, host);
  }

  /** Joins a path and a query, both still encoded, to a target. */
  static String target(String path, @Nullable String query) {
    return query == null ? path : path + '?' + query;
  }
}
