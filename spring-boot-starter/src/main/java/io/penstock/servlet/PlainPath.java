package io.penstock.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.util.regex.Pattern;

/**
 * Whether a container is sure to find the way again by the URI of a request that it has found once.
 * Tomcat maps the path when a request comes and once more when it is dispatched, by rules that are
 * not quite the same: {@code //app/tea} gets to the context {@code /app} only the first time.
 */
final class PlainPath {
  /** Whatever a container has to put in order, and {@code /.well-known} for simplicity. */
  private static final Pattern ODD = Pattern.compile("//|/\\.|%2[eE]");

  private PlainPath() {}

  static boolean isOf(HttpServletRequest request) {
    String uri = request.getRequestURI();
    return uri.startsWith("/", request.getContextPath().length()) && !ODD.matcher(uri).find();
  }
}
