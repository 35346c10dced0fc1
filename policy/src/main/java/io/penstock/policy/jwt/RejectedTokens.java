package io.penstock.policy.jwt;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Tokens that were found not to count, so that who repeats one doesn't cost a signature each time.
 * Only for a while, and only under the keys they were rejected with. For many threads.
 *
 * <p>They are known by 128 bits of a hash under a secret of this process: nobody can find a token
 * that looks like another. A table of fixed size, in which a token takes the place of the one that
 * was there.
 */
final class RejectedTokens {
  static final int SIZE = 1 << 13;
  static final long MAX_MILLIS = 60_000;

  private final byte[] secret = new byte[32];
  private final AtomicReferenceArray<@Nullable Rejection> entries =
      new AtomicReferenceArray<>(SIZE);

  private record Rejection(Id id, TokenCheck.Result why, KeySet keys, long fromMillis) {
    boolean counts(Id wanted, KeySet inForce, long nowMillis) {
      long age = nowMillis - fromMillis;
      return id.equals(wanted) && keys == inForce && age >= 0 && age < MAX_MILLIS;
    }
  }

  /** What a token is known by. */
  record Id(long high, long low) {
    private int place() {
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
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** Why a token was rejected under these keys; null if that isn't known. */
  TokenCheck.@Nullable Result get(Id id, KeySet keys, long nowMillis) {
    Rejection entry = entries.get(id.place());
    return entry != null && entry.counts(id, keys, nowMillis) ? entry.why : null;
  }

  void put(Id id, TokenCheck.Result why, KeySet keys, long nowMillis) {
    entries.set(id.place(), new Rejection(id, why, keys, nowMillis));
  }
}
