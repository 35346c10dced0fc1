package io.penstock.redis;

import io.penstock.Decision;

/** A limit as the script knows it, and its answers as callers know them. Immutable. */
abstract sealed class Terms permits BucketTerms, WindowTerms {
  /** How many numbers the script answers to a claim. */
  abstract int replyLength();

  /** Says the limit to the script. */
  abstract void write(Numbers numbers);

  /** What a cost is to the script. */
  abstract long cost(long thousandths);

  /** The debt up to which a claim passes; -1 if it never does. */
  abstract long most(long thousandths, long maxDelayNanos);

  /** Notes what was done to a bucket of which so much was missing before. */
  void noteDone(Ask.What what, Part claim, long before, long granted) {}

  /** How much longer {@code more} takes to be there, in the script's terms; -1 if unknown. */
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
  abstract Decision decision(Part claim, long[] replies, int reply, long granted, long caller);
}
