package io.penstock.policy.jwt;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A cache of verified tokens, so that further requests of a client don't require a signature
 * verification. Entries expire, and apply only to the keys they were verified with. Thread-safe.
 *
 * <p>The cache has two generations. When the young one is full, it replaces the old one, whose
 * entries are dropped. A token in the old generation moves to the young one when it is used.
 */
final class VerifiedTokens {
  static final int MAX_TOKENS = 8_192;
  private static final long MAX_MILLIS = 60_000;

  private record Verification(TokenCheck check, KeySet keys, long fromMillis, double toMillis) {
    boolean isValid(KeySet activeKeys, long nowMillis) {
      return keys == activeKeys && nowMillis >= fromMillis && nowMillis < toMillis;
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
    return entry != null && entry.isValid(keys, nowMillis) ? entry.check : null;
  }

  /**
   * @param expiresMillis when the token expires
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
