package io.penstock.inprocess;

import java.security.SecureRandom;

/**
 * SipHash-1-3 with 128 bits of output over the UTF-16 code units of a string, with a secret key.
 * Immutable. Without the key, an attacker can't construct strings whose hashes collide or cluster
 * in one part of a table.
 */
final class SipHash {
  private final long k0;
  private final long k1;

  SipHash(long k0, long k1) {
    this.k0 = k0;
    this.k1 = k1;
  }

  static SipHash random() {
    SecureRandom random = new SecureRandom();
    return new SipHash(random.nextLong(), random.nextLong());
  }

  /** Receives the hash of a key. */
  interface HashFunction<T> {
    long apply(long high, long low, T with, long cost, long maxDebt);
  }

  /**
   * Hashes {@code text} and passes the result to {@code then} with the other arguments. A callback
   * is used because 128 bits can't be returned without allocating an object, and every request
   * needs a hash.
   */
  <T> long then(HashFunction<T> then, String text, T with, long cost, long maxDebt) {
    long v0 = k0 ^ 0x736f6d6570736575L;
    long v1 = k1 ^ 0x646f72616e646f6dL ^ 0xee;
    long v2 = k0 ^ 0x6c7967656e657261L;
    long v3 = k1 ^ 0x7465646279746573L;
    int length = text.length();
    int whole = length & ~3;
    // One round per four characters; the last word has the rest and the length in bytes.
    for (int i = 0; i <= whole; i += 4) {
      long m =
          i < whole
              ? text.charAt(i)
                  | (long) text.charAt(i + 1) << 16
                  | (long) text.charAt(i + 2) << 32
                  | (long) text.charAt(i + 3) << 48
              : tail(text, whole, length);
      v3 ^= m;
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
      v0 ^= m;
    }
    v2 ^= 0xee;
    long high = 0;
    for (int round = 0; round < 6; round++) {
      if (round == 3) {
        high = v0 ^ v1 ^ v2 ^ v3;
        v1 ^= 0xdd;
      }
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
    }
    return then.apply(high, v0 ^ v1 ^ v2 ^ v3, with, cost, maxDebt);
  }

  /** Returns the hash as an object, for use outside the hot path. */
  Hash of(String text) {
    long[] halves = new long[2];
    then(
        (high, low, into, cost, maxDebt) -> {
          into[0] = high;
          into[1] = low;
          return 0;
        },
        text,
        halves,
        0,
        0);
    return new Hash(halves[0], halves[1]);
  }

  private static long tail(String text, int from, int length) {
    long m = (long) length << 57;
    for (int i = from; i < length; i++) {
      m |= (long) text.charAt(i) << (16 * (i - from));
    }
    return m;
  }

  /** A 128-bit hash, which identifies a key. */
  record Hash(long high, long low) {}
}
