package io.penstock.server.http;

import io.vertx.core.http.HttpHeaders;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Names of headers in a form that Vert.x need not hash, check and encode each time. Thread-safe.
 * There are as many as the policy and our answers have, so few are kept.
 */
public final class HeaderNames {
  private static final int MAX_NAMES = 1_000;
  private static final Map<String, CharSequence> KNOWN = new ConcurrentHashMap<>();

  private HeaderNames() {}

  public static CharSequence of(String name) {
    CharSequence known = KNOWN.get(name);
    return known == null ? make(name) : known;
  }

  private static CharSequence make(String name) {
    CharSequence made = HttpHeaders.createOptimized(name);
    if (KNOWN.size() < MAX_NAMES) {
      KNOWN.put(name, made);
    }
    return made;
  }
}
