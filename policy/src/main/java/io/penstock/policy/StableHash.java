package io.penstock.policy;

/**
 * A hash that is the same on all nodes and in all versions, for choices that have to agree
 * everywhere: for which keys a rule is enforced, and the jitter of retry hints. Not suitable where
 * an attacker must not predict the result.
 *
 * <p>This is the 64-bit FNV-1a hash of the first text, the unit {@code FFFF} and the second text,
 * with each UTF-16 unit as two bytes in big-endian order, followed by the finalizer of MurmurHash3.
 */
public final class StableHash {
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;
  private static final char SEPARATOR = '\uffff';

  private StableHash() {}

  /** Returns the hash of two texts. */
  public static long of(String first, String second) {
    return mix(fnv(fnv(fnv(FNV_OFFSET, first), SEPARATOR), second));
  }

  private static long fnv(long hash, String text) {
    long next = hash;
    for (int i = 0; i < text.length(); i++) {
      next = fnv(next, text.charAt(i));
    }
    return next;
  }

  private static long fnv(long hash, char unit) {
    long upper = (hash ^ (unit >>> 8)) * FNV_PRIME;
    return (upper ^ (unit & 0xff)) * FNV_PRIME;
  }

  private static long mix(long hash) {
    long mixed = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }
}
