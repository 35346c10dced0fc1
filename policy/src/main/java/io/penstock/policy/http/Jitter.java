package io.penstock.policy.http;

import io.penstock.policy.StableHash;

/**
 * Adds deterministic jitter to retry hints, so that clients that were denied together don't retry
 * together. The same client always gets the same share. Immutable.
 *
 * <p>The upper 32 bits of {@link StableHash} of the rule's name and the key are used as a fraction
 * of 1. The added time is that fraction of the maximum, rounded down to a second.
 *
 * @param maxShareThousandths the maximum added time in thousandths of the wait
 * @param maxAddedSeconds the maximum added time in seconds
 */
public record Jitter(int maxShareThousandths, int maxAddedSeconds) {
  /** Adds up to half of the wait, and at most 30 seconds. */
  public static final Jitter DEFAULT = new Jitter(500, 30);

  /** Adds nothing. */
  public static final Jitter NONE = new Jitter(0, 0);

  private static final int WHOLE = 1_000;
  private static final int MAX_SECONDS = 86_400;

  /** Longer than the wait of any decision, and small enough to multiply without overflow. */
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

  /** Returns the seconds to add to a wait of {@code seconds} for a key of a rule. */
  public long added(long seconds, String rule, String key) {
    long share = Math.min(seconds, MAX_WAIT) * maxShareThousandths;
    long maxAdded = Math.min(share, (long) maxAddedSeconds * WHOLE);
    return ((maxAdded * (StableHash.of(rule, key) >>> 32)) >>> 32) / WHOLE;
  }
}
