package io.penstock.spring;

import io.penstock.policy.address.Headers;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * The headers of a request, repeated ones joined. Spring 6 and 7 agree on few ways to ask for all
 * values of one.
 */
record ExchangeHeaders(HttpHeaders headers) implements Headers {
  @Override
  public @Nullable String get(String name) {
    String first = headers.getFirst(name);
    if (first == null) {
      return null;
    }
    for (Map.Entry<String, List<String>> header : headers.headerSet()) {
      if (header.getKey().equalsIgnoreCase(name) && header.getValue().size() > 1) {
        return String.join(name.equals("cookie") ? "; " : ", ", header.getValue());
      }
    }
    return first;
  }
}
