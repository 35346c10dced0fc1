package io.penstock.policy.http;

/**
 * How much longer than they have to callers are asked to stay away, so that those who were denied
 * together don't come back together. The same caller is always asked for the same share. Immutable.
 *
 * <p>The share is taken from a hash that is part of the contract: every node and every version
 * gives the same. It is FNV-1a of 64 bits over the name of the rule, the unit {@code FFFF} and the
 * key, each UTF-16 unit as two bytes with the higher first, finished by the mixing steps of
 * MurmurHash3; its upper 32 bits are a fraction of 1. That fraction of the most that may be added,
 * rounded down to a second, is what is added.
 *
 * @param maxShareThousandths the most that is added, in thousandths of the wait
 * @param maxAddedSeconds the most that is added in any case
 */
public record Jitter(int maxShareThousandths, int maxAddedSeconds) {
  /** Up to half of the wait, and up to 30 seconds. */
  public static final Jitter DEFAULT = new Jitter(500, 30);

  /** Nothing is added. */
  public static final Jitter NONE = new Jitter(0, 0);

  private static final int WHOLE = 1_000;
  private static final int LONGEST_SECONDS = 86_400;

  /** Longer than any decision says, and short enough to be multiplied. */
  private static final long LONGEST_WAIT = 1L << 40;

  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;
  private static final char SEPARATOR = '\uffff';

  public Jitter {
    if (maxShareThousandths < 0 || maxShareThousandths > WHOLE) {
      throw new IllegalArgumentException(
          "the share of jitter must be from 0 to 1000 thousandths: " + maxShareThousandths);
    }
    if (maxAddedSeconds < 0 || maxAddedSeconds > LONGEST_SECONDS) {
      throw new IllegalArgumentException(
          "jitter must be from 0 to " + LONGEST_SECONDS + " seconds: " + maxAddedSeconds);
    }
  }

  /** What is added to a wait of {@code seconds} for a key of a rule. */
  public long added(long seconds, String rule, String key) {
    long share = Math.min(seconds, LONGEST_WAIT) * maxShareThousandths;
    long most = Math.min(share, (long) maxAddedSeconds * WHOLE);
    return ((most * fraction(rule, key)) >>> 32) / WHOLE;
  }

  private static long fraction(String rule, String key) {
    long hash = fnv(FNV_OFFSET, rule);
    hash = fnv(hash, SEPARATOR);
    return mix(fnv(hash, key)) >>> 32;
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
