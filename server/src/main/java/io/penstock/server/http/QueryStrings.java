package io.penstock.server.http;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/** Parses query strings. */
public final class QueryStrings {
  private QueryStrings() {}

  /** Returns the parameters of a request; null if they are malformed, such as {@code a=%zz}. */
  public static @Nullable MultiMap of(HttpServerRequest request) {
    try {
      return request.params();
    } catch (IllegalArgumentException malformed) {
      return null;
    }
  }
}
