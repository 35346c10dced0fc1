package io.penstock.server.http;

import io.penstock.policy.address.Headers;
import io.vertx.core.MultiMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The headers of a request; {@link #get} joins repeated ones. */
public final class RequestHeaders implements Headers {
  private final MultiMap headers;

  public RequestHeaders(MultiMap headers) {
    this.headers = headers;
  }

  @Override
  public List<String> all(String name) {
    return headers.getAll(HeaderNames.of(name));
  }

  @Override
  public @Nullable String get(String name) {
    List<String> all = headers.getAll(HeaderNames.of(name));
    return switch (all.size()) {
      case 0 -> null;
      case 1 -> all.get(0);
      default -> String.join(name.equals("cookie") ? "; " : ", ", all);
    };
  }
}
