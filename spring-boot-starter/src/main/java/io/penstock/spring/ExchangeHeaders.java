package io.penstock.spring;

import io.penstock.policy.address.Headers;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * The headers of a WebFlux request. Repeated headers are joined. Uses only methods that Spring 6
 * and 7 have in common.
 */
record ExchangeHeaders(HttpHeaders headers) implements Headers {
  @Override
  public @Nullable String get(String name) {
    String first = headers.getFirst(name);
    List<String> several = first == null ? null : several(name);
    return several == null ? first : String.join(name.equals("cookie") ? "; " : ", ", several);
  }

  @Override
  public List<String> all(String name) {
    String first = headers.getFirst(name);
    if (first == null) {
      return List.of();
    }
    List<String> several = several(name);
    return several == null ? List.of(first) : several;
  }

  /** Returns the values of a header if it has more than one; otherwise null. */
  private @Nullable List<String> several(String name) {
    for (Map.Entry<String, List<String>> header : headers.headerSet()) {
      if (header.getKey().equalsIgnoreCase(name) && header.getValue().size() > 1) {
        return header.getValue();
      }
    }
    return null;
  }
}
