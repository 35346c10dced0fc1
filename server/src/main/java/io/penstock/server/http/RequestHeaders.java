package io.penstock.server.http;

import io.penstock.policy.address.HeaderName;
import io.penstock.policy.address.Headers;
import io.vertx.core.MultiMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The headers of a request; {@link #get} joins repeated ones. */
public final class RequestHeaders implements Headers {
  private final MultiMap headers;
  private final boolean plainNamesOnly;
  private final Set<String> hidden;

  /** Creates headers that the origin receives as they are. */
  public RequestHeaders(MultiMap headers) {
    this(headers, false, Set.of());
  }

  /**
   * @param plainNamesOnly whether the origin receives only headers whose names consist of letters,
   *     digits and hyphens, so that no other spelling reaches it
   * @param hidden names in lower case of headers that the origin doesn't receive
   */
  public RequestHeaders(MultiMap headers, boolean plainNamesOnly, Set<String> hidden) {
    this.headers = headers;
    this.plainNamesOnly = plainNamesOnly;
    this.hidden = hidden;
  }

  private List<String> values(String name) {
    return !hidden.isEmpty() && hidden.contains(name.toLowerCase(Locale.ROOT))
        ? List.of()
        : headers.getAll(HeaderNames.of(name));
  }

  @Override
  public List<String> all(String name) {
    return values(name);
  }

  @Override
  public @Nullable String get(String name) {
    List<String> all = values(name);
    return switch (all.size()) {
      case 0 -> null;
      case 1 -> all.get(0);
      default -> String.join(name.equals("cookie") ? "; " : ", ", all);
    };
  }

  @Override
  public List<String> similar(String name) {
    List<String> similar = List.of();
    if (plainNamesOnly) {
      return similar;
    }
    for (Map.Entry<String, String> header : headers) {
      if (HeaderName.isOtherSpelling(header.getKey(), name)) {
        similar = similar.isEmpty() ? new ArrayList<>() : similar;
        similar.add(header.getValue());
      }
    }
    return similar;
  }
}
