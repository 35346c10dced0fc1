package io.penstock.web;

import io.penstock.policy.http.NormalPath;
import org.jspecify.annotations.Nullable;

/**
 * The target of a request as an application understands it: its path made normal, and without
 * parameters of segments, which routing leaves out. So {@code //login;a=b} is {@code /login} to
 * rules as it is to controllers.
 */
public final class AppPath {
  private AppPath() {}

  /** The path as rules see it, with the query behind it. */
  public static String target(String rawPath, @Nullable String query) {
    String path = rawPath.indexOf(';') < 0 ? rawPath : withoutParameters(rawPath);
    // Before the query is behind it, so that nothing in a path is taken for one.
    String normal = NormalPath.of(path);
    return query == null ? normal : normal + '?' + query;
  }

  private static String withoutParameters(String path) {
    StringBuilder plain = new StringBuilder(path.length());
    boolean parameter = false;
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      parameter = c == ';' || (parameter && c != '/');
      if (!parameter) {
        plain.append(c);
      }
    }
    return plain.toString();
  }
}
