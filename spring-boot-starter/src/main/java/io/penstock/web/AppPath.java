package io.penstock.web;

import org.jspecify.annotations.Nullable;

/** Builds the request target that the engine expects: the raw path and the query. */
public final class AppPath {
  private AppPath() {}

  /** Joins the path and the query. The engine normalizes the path as the policy specifies. */
  public static String target(String rawPath, @Nullable String query) {
    return query == null ? rawPath : rawPath + '?' + query;
  }
}
