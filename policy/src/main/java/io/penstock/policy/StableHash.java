package io.penstock.policy;

/**
 * A hash that is the same on every node and in every version, for choices that have to be: whom a
 * rule is enforced for, and how long somebody is told to wait. Not for anything that an attacker
 * must not foresee.
 */
public final class StableHash {
  private static final long FNV_BASIS = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  private StableHash() {}

  /** The hash of two texts: FNV-1a over their UTF-16 units with a unit between, then mixed. */
  public static long of(String first, String second) {
    long hash = add(FNV_BASIS, first);
    hash = add((hash ^ 0xffff) * FNV_PRIME, second);
    hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
    hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return hash ^ (hash >>> 33);
  }

  private static long add(long hash, String text) {
    long sum = hash;
    for (int i = 0; i < text.length(); i++) {
      sum = (sum ^ text.charAt(i)) * FNV_PRIME;
    }
    return sum;
  }
}
