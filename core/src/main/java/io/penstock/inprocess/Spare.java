package io.penstock.inprocess;

/**
 * Whom to spare when a bucket has to be given up. Keys that are being denied go last: giving those
 * up would let a flood of invented keys reset them.
 */
enum Spare {
  /** Gives up only buckets with a token left. */
  SPENT,
  /** Gives up buckets without a token too, unless a request was denied by them. */
  DENIED,
  /** Gives up any bucket. */
  NOBODY;

  /** The strictest choice by which a bucket can be given up. */
  static Spare of(boolean spent, boolean denied) {
    return !spent ? SPENT : denied ? NOBODY : DENIED;
  }

  /** Whether this choice gives up a bucket of which the strictest is {@code bucket}. */
  boolean allows(Spare bucket) {
    return bucket.compareTo(this) <= 0;
  }
}
