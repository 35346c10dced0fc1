package io.penstock.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.util.regex.Pattern;

/**
 * Checks whether a container certainly maps the URI of a request to the same servlet when the
 * request is dispatched again. Tomcat maps the path of a new request and of a dispatch by slightly
 * different rules: {@code //app/tea} reaches the context {@code /app} only the first time.
 */
final class PlainPath {
  /** Everything that a container normalizes, and {@code /.well-known} for simplicity. */
  private static final Pattern NOT_NORMALIZED = Pattern.compile("//|/\\.|%2[eE]");

  private PlainPath() {}

  static boolean isOf(HttpServletRequest request) {
    String uri = request.getRequestURI();
    return uri.startsWith("/", request.getContextPath().length())
        && !NOT_NORMALIZED.matcher(uri).find();
  }
}
