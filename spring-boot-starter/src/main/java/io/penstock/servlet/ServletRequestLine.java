package io.penstock.servlet;

import io.penstock.policy.http.RequestLine;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** The method, target and host of a servlet request. */
record ServletRequestLine(HttpServletRequest request) implements RequestLine {
  @Override
  public @Nullable String method() {
    return request.getMethod();
  }

  @Override
  public String target() {
    return RequestLine.target(request.getRequestURI(), request.getQueryString());
  }

  @Override
  public @Nullable String host() {
    String header = request.getHeader("host");
    return header == null ? request.getServerName() : header;
  }
}
