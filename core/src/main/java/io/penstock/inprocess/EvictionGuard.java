package io.penstock.inprocess;

/**
 * Which buckets to spare when one has to be evicted. Keys that are being denied go last, whatever
 * is left in their buckets: evicting those would let a flood of invented keys reset them.
 */
enum EvictionGuard {
  /** Evicts only buckets that have a token left and denied no request since they were full. */
  SPENT,
  /** Evicts buckets without a token too, unless they denied a request. */
  DENIED,
  /** Evicts any bucket. */
  NOBODY;

  /**
   * The strictest choice by which a bucket can be evicted.
   *
   * @param denied whether it denied a request, and was not full since
   */
  static EvictionGuard of(boolean spent, boolean denied) {
    return denied ? NOBODY : spent ? DENIED : SPENT;
  }

  /** Whether this choice evicts a bucket of which the strictest is {@code bucket}. */
  boolean allows(EvictionGuard bucket) {
    return bucket.compareTo(this) <= 0;
  }
}
