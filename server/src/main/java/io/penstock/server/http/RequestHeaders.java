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
    CharSequence known = HeaderNames.of(name);
    String first = headers.get(known);
    if (first == null) {
      return null;
    }
    List<String> all = headers.getAll(known);
    if (all.size() < 2) {
      return first;
    }
    return String.join(name.equals("cookie") ? "; " : ", ", all);
  }
}
