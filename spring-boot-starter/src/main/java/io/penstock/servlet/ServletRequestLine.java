package io.penstock.servlet;

import io.penstock.policy.http.RequestLine;
import io.penstock.web.AppPath;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** Where a request goes, as the application understands it. */
record ServletRequestLine(HttpServletRequest request) implements RequestLine {
  @Override
  public @Nullable String method() {
    return request.getMethod();
  }

  @Override
  public String target() {
    return AppPath.target(request.getRequestURI(), request.getQueryString());
  }

  @Override
  public @Nullable String host() {
    String sent = request.getHeader("host");
    return sent == null ? request.getServerName() : sent;
  }
}
