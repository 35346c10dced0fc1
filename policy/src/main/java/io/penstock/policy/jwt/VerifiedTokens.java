package io.penstock.policy.jwt;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Tokens that were found to count, so that a client's next request doesn't cost a signature. Only
 * for a while, and only under the keys they were verified with. For many threads.
 */
final class VerifiedTokens {
  private static final int MOST_TOKENS = 1024;
  private static final long MOST_MILLIS = 60_000;

  private record Entry(Map<String, String> claims, KeySet keys, long fromMillis, double toMillis) {
    boolean counts(KeySet inForce, long nowMillis) {
      return keys == inForce && nowMillis >= fromMillis && nowMillis < toMillis;
    }
  }

  private final Map<String, Entry> entries = new ConcurrentHashMap<>();

  @Nullable Map<String, String> get(String token, KeySet keys, long nowMillis) {
    Entry entry = entries.get(token);
    return entry != null && entry.counts(keys, nowMillis) ? entry.claims : null;
  }

  /**
   * @param expiresMillis when the token ceases to count
   */
  void put(String token, KeySet keys, Claims claims, long nowMillis, double expiresMillis) {
    if (entries.size() >= MOST_TOKENS) {
      entries.clear();
    }
    double toMillis = Math.min(expiresMillis, nowMillis + (double) MOST_MILLIS);
    entries.put(token, new Entry(claims.scalars(), keys, nowMillis, toMillis));
  }

  int size() {
    return entries.size();
  }
}
