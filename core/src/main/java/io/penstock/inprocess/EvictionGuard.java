package io.penstock.inprocess;

/**
 * Which buckets are protected from eviction. Keys that are being denied are evicted last, whatever
 * is left in their buckets. Otherwise a flood of invented keys would reset them.
 */
enum EvictionGuard {
  /** Evicts only buckets that have a token left and have denied no request since they were full. */
  SPENT,
  /** Also evicts buckets without a token, unless they have denied a request. */
  DENIED,
  /** Evicts any bucket. */
  NONE;

  /**
   * Returns the strictest guard under which a bucket can be evicted.
   *
   * @param denied whether the bucket has denied a request and has not been full since
   */
  static EvictionGuard of(boolean spent, boolean denied) {
    return denied ? NONE : spent ? DENIED : SPENT;
  }

  /**
   * Whether this guard permits the eviction of a bucket whose strictest guard is {@code bucket}.
   */
  boolean allows(EvictionGuard bucket) {
    return bucket.compareTo(this) <= 0;
  }
}
