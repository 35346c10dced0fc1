package io.penstock.policy.jwt;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Tokens that were found to count, so that a client's next request doesn't cost a signature. Only
 * for a while, and only under the keys they were verified with. For many threads.
 *
 * <p>There are two generations: when the young one is full, the old one is dropped, and the young
 * one becomes the old one. A token that is used stays.
 */
final class VerifiedTokens {
  static final int MAX_TOKENS = 8_192;
  private static final long MAX_MILLIS = 60_000;

  private record Verification(TokenCheck check, KeySet keys, long fromMillis, double toMillis) {
    boolean counts(KeySet inForce, long nowMillis) {
      return keys == inForce && nowMillis >= fromMillis && nowMillis < toMillis;
    }
  }

  private volatile Map<String, Verification> young = new ConcurrentHashMap<>();
  private volatile Map<String, Verification> old = Map.of();

  @Nullable TokenCheck get(String token, KeySet keys, long nowMillis) {
    Verification entry = young.get(token);
    if (entry == null) {
      entry = old.get(token);
      if (entry != null) {
        put(token, entry);
      }
    }
    return entry != null && entry.counts(keys, nowMillis) ? entry.check : null;
  }

  /**
   * @param expiresMillis when the token ceases to count
   */
  void put(String token, KeySet keys, TokenCheck check, long nowMillis, double expiresMillis) {
    double toMillis = Math.min(expiresMillis, nowMillis + (double) MAX_MILLIS);
    put(token, new Verification(check, keys, nowMillis, toMillis));
  }

  private void put(String token, Verification entry) {
    if (young.size() >= MAX_TOKENS / 2) {
      age();
    }
    young.put(token, entry);
  }

  private synchronized void age() {
    if (young.size() >= MAX_TOKENS / 2) {
      old = young;
      young = new ConcurrentHashMap<>();
    }
  }

  int size() {
    return young.size() + old.size();
  }
}
