package io.penstock.redis;

import io.penstock.Decision;

/** Encodes a limit for the script, and decodes its replies into decisions. Immutable. */
abstract sealed class LimitCodec permits TokenBucketCodec, WindowCodec {
  /** The number of values in the script's reply to a claim. */
  abstract int replyLength();

  /** Writes the limit as arguments of the script. */
  abstract void write(MessagePackArray numbers);

  /** Converts a cost to units of the limit. */
  abstract long cost(long thousandths);

  /** The debt up to which a claim is allowed, in units of the limit; -1 if it never is. */
  abstract long maxDebt(long thousandths, long maxDelayNanos);

  /**
   * Converts a maximum debt for the script: the maximum delay in ticks, or -1 if a claim is never
   * allowed.
   */
  abstract long delayTicks(long maxDebt);

  /** Records the effect on a bucket, from the script's reply to a claim. */
  void recordEffect(
      Operation operation, RedisClaim claim, long[] replies, int reply, long granted) {}

  /**
   * Updates the copy of a bucket in this process after a reply: sets a token bucket to the level in
   * Redis; counts the grants to this node for a window.
   *
   * @param passedNanos time since the call was sent
   */
  abstract void updateCopy(
      LocalBuckets local,
      Operation operation,
      RedisClaim claim,
      long[] replies,
      int reply,
      long granted,
      long passedNanos);

  /**
   * The tokens left in a bucket that will be full after {@code resetNanos}, in thousandths, if that
   * is known; otherwise {@code remaining}.
   */
  abstract long remainingAt(long remaining, long resetNanos);

  /** Time in which {@code more} units are refilled; -1 if unknown. */
  abstract long extraWaitNanos(long more);

  /** The letter that distinguishes keys of this kind from others with the same name and key. */
  abstract char family();

  /**
   * Returns the result for one of the callers of a request.
   *
   * @param claim the claim
   * @param reply the index in {@code replies} at which the reply to the claim starts
   * @param granted the number of callers that were granted the request
   * @param caller the index of the caller
   */
  abstract Decision decision(
      RedisClaim claim, long[] replies, int reply, long granted, long caller);
}
