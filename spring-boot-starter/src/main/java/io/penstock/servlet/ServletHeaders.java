package io.penstock.servlet;

import io.penstock.policy.address.Headers;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The headers of a servlet request. Repeated headers are joined. */
record ServletHeaders(HttpServletRequest request) implements Headers {
  @Override
  public List<String> all(String name) {
    Enumeration<String> values = request.getHeaders(name);
    return values == null ? List.of() : Collections.list(values);
  }

  @Override
  public @Nullable String get(String name) {
    Enumeration<String> values = request.getHeaders(name);
    if (values == null || !values.hasMoreElements()) {
      return null;
    }
    String first = values.nextElement();
    if (!values.hasMoreElements()) {
      return first;
    }
    StringBuilder all = new StringBuilder(first);
    while (values.hasMoreElements()) {
      all.append(name.equals("cookie") ? "; " : ", ").append(values.nextElement());
    }
    return all.toString();
  }
}
