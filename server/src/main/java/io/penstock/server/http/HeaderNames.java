package io.penstock.server.http;

import io.vertx.core.http.HttpHeaders;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Caches header names in a form that Vert.x does not have to hash, validate and encode each time.
 * Thread-safe. The names come from the policy and our responses, so there are few.
 */
public final class HeaderNames {
  private static final int MAX_NAMES = 1_000;
  private static final Map<String, CharSequence> CACHE = new ConcurrentHashMap<>();

  private HeaderNames() {}

  public static CharSequence of(String name) {
    CharSequence known = CACHE.get(name);
    return known == null ? create(name) : known;
  }

  private static CharSequence create(String name) {
    CharSequence created = HttpHeaders.createOptimized(name);
    if (CACHE.size() < MAX_NAMES) {
      CACHE.put(name, created);
    }
    return created;
  }
}
