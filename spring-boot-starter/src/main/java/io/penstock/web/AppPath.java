package io.penstock.web;

import org.jspecify.annotations.Nullable;

/** The target of a request as the engine takes it: the path as it was sent, and the query. */
public final class AppPath {
  private AppPath() {}

  /** The path, which the engine makes normal by the policy, with the query behind it. */
  public static String target(String rawPath, @Nullable String query) {
    return query == null ? rawPath : rawPath + '?' + query;
  }
}
