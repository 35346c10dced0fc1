package io.penstock.server.http;

import io.penstock.policy.address.Headers;
import io.vertx.core.MultiMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The headers of a request, repeated ones joined. */
public final class RequestHeaders implements Headers {
  private final MultiMap headers;

  public RequestHeaders(MultiMap headers) {
    this.headers = headers;
  }

  @Override
  public @Nullable String get(String name) {
    String first = headers.get(name);
    if (first == null) {
      return null;
    }
    List<String> all = headers.getAll(name);
    if (all.size() < 2) {
      return first;
    }
    return String.join(name.equals("cookie") ? "; " : ", ", all);
  }
}
