package io.penstock.policy.jwt;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A cache of rejected tokens, so that repeating one doesn't require a signature verification each
 * time. Entries expire, and apply only to the keys they were rejected with. Thread-safe.
 *
 * <p>Tokens are identified by 128 bits of a hash with a secret of this process, so an attacker
 * cannot construct a token that collides with another. The table has a fixed size; a new entry
 * replaces the one in the same slot.
 */
final class RejectedTokens {
  static final int SIZE = 1 << 13;
  static final long MAX_MILLIS = 60_000;

  private final byte[] secret = new byte[32];
  private final AtomicReferenceArray<@Nullable RejectedToken> entries =
      new AtomicReferenceArray<>(SIZE);

  private record RejectedToken(Id id, TokenCheck.Result reason, KeySet keys, long fromMillis) {
    boolean isValid(Id otherId, KeySet activeKeys, long nowMillis) {
      long age = nowMillis - fromMillis;
      return id.equals(otherId) && keys == activeKeys && age >= 0 && age < MAX_MILLIS;
    }
  }

  /** Identifies a token. */
  record Id(long high, long low) {
    private int slot() {
      return (int) low & (SIZE - 1);
    }
  }

  RejectedTokens() {
    new SecureRandom().nextBytes(secret);
  }

  Id id(String token) {
    try {
      MessageDigest hash = MessageDigest.getInstance("SHA-256");
      hash.update(secret);
      // Tokens are ASCII.
      ByteBuffer bytes = ByteBuffer.wrap(hash.digest(token.getBytes(StandardCharsets.ISO_8859_1)));
      return new Id(bytes.getLong(), bytes.getLong());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is not available", e);
    }
  }

  /** Returns why a token was rejected under these keys; null if unknown. */
  TokenCheck.@Nullable Result get(Id id, KeySet keys, long nowMillis) {
    RejectedToken entry = entries.get(id.slot());
    return entry != null && entry.isValid(id, keys, nowMillis) ? entry.reason : null;
  }

  void put(Id id, TokenCheck.Result reason, KeySet keys, long nowMillis) {
    entries.set(id.slot(), new RejectedToken(id, reason, keys, nowMillis));
  }
}
