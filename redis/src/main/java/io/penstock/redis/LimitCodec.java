package io.penstock.redis;

import io.penstock.Decision;

/** A limit as the script knows it, and its answers as callers know them. Immutable. */
abstract sealed class LimitCodec permits TokenBucketCodec, WindowCodec {
  /** How many numbers the script answers to a claim. */
  abstract int replyLength();

  /** Says the limit to the script. */
  abstract void write(MessagePackArray numbers);

  /** A cost in units of the limit. */
  abstract long cost(long thousandths);

  /** The debt up to which a claim passes, in units of the limit; -1 if it never does. */
  abstract long most(long thousandths, long maxDelayNanos);

  /**
   * The same in the form that the script takes: the max delay in ticks, or -1 if a claim never
   * passes.
   */
  abstract long delayTicks(long most);

  /** Notes what was done to a bucket, from the script's numbers for a claim. */
  void noteDone(
      PendingRequest.RequestKind what,
      BucketRequest claim,
      long[] replies,
      int reply,
      long granted) {}

  /** How much longer {@code more} takes to be there, in units of the limit; -1 if unknown. */
  abstract long extraWaitNanos(long more);

  /** The letter that keeps buckets of this kind apart from others of the same name and key. */
  abstract char family();

  /**
   * The answer to one of the callers of a request.
   *
   * @param claim what was asked
   * @param reply where the script's numbers for it begin in {@code replies}
   * @param granted to how many callers the request was granted
   * @param caller which caller this is, from 0
   */
  abstract Decision decision(
      BucketRequest claim, long[] replies, int reply, long granted, long caller);
}
