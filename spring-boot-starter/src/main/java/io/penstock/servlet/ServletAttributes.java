package io.penstock.servlet;

import io.penstock.policy.http.CallerAttributes;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The attributes that an application knows of a request. In order of precedence: those of the
 * resolvers, the principal as {@code user_id}, and request attributes that are strings, numbers or
 * booleans. Used by one thread at a time.
 */
final class ServletAttributes implements CallerAttributes {
  private static final String USER = "user_id";

  private final HttpServletRequest request;
  private final List<AttributeResolver> resolvers;
  private @Nullable Map<String, String> resolved;

  ServletAttributes(HttpServletRequest request, List<AttributeResolver> resolvers) {
    this.request = request;
    this.resolvers = resolvers;
  }

  @Override
  public @Nullable String get(String name) {
    String value = resolved().get(name);
    if (value == null && name.equals(USER)) {
      Principal principal = request.getUserPrincipal();
      value = principal == null ? null : principal.getName();
    }
    return value == null ? plain(request.getAttribute(name)) : value;
  }

  private Map<String, String> resolved() {
    if (resolved == null) {
      Map<String, String> all = new HashMap<>();
      for (AttributeResolver resolver : resolvers) {
        resolver.attributes(request).forEach(all::putIfAbsent);
      }
      resolved = all;
    }
    return resolved;
  }

  private static @Nullable String plain(@Nullable Object value) {
    return value instanceof String || value instanceof Number || value instanceof Boolean
        ? value.toString()
        : null;
  }
}
