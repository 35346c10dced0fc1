package io.penstock.server.http;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/** Queries as clients write them. */
public final class QueryStrings {
  private QueryStrings() {}

  /** The parameters of a request; null if they can't be decoded, such as {@code a=%zz}. */
  public static @Nullable MultiMap of(HttpServerRequest request) {
    try {
      return request.params();
    } catch (IllegalArgumentException malformed) {
      return null;
    }
  }
}
