package io.penstock.policy.http;

import io.penstock.policy.StableHash;

/**
 * How much longer than they have to callers are asked to stay away, so that those who were denied
 * together don't come back together. The same caller is always asked for the same share. Immutable.
 *
 * <p>The upper 32 bits of {@link StableHash} of the rule's name and the key are a fraction of 1.
 * That fraction of the most that may be added, rounded down to a second, is what is added.
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
  private static final int MAX_SECONDS = 86_400;

  /** Longer than any decision says, and short enough to be multiplied. */
  private static final long MAX_WAIT = 1L << 40;

  public Jitter {
    if (maxShareThousandths < 0 || maxShareThousandths > WHOLE) {
      throw new IllegalArgumentException(
          "the share of jitter must be from 0 to 1000 thousandths: " + maxShareThousandths);
    }
    if (maxAddedSeconds < 0 || maxAddedSeconds > MAX_SECONDS) {
      throw new IllegalArgumentException(
          "jitter must be from 0 to " + MAX_SECONDS + " seconds: " + maxAddedSeconds);
    }
  }

  /** What is added to a wait of {@code seconds} for a key of a rule. */
  public long added(long seconds, String rule, String key) {
    long share = Math.min(seconds, MAX_WAIT) * maxShareThousandths;
    long most = Math.min(share, (long) maxAddedSeconds * WHOLE);
    return ((most * (StableHash.of(rule, key) >>> 32)) >>> 32) / WHOLE;
  }
}
