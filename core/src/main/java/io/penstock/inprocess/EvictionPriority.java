package io.penstock.inprocess;

/**
 * The order in which buckets are evicted, first to last. Keys that are being denied come last,
 * however many tokens their buckets have. Otherwise a flood of made-up keys would reset them.
 */
enum EvictionPriority {
  /** Buckets with at least one token that have denied no request since they were last full. */
  TOKENS_LEFT,
  /** Buckets with less than one token that have denied no request since they were last full. */
  EMPTY,
  /** Buckets that have denied a request since they were last full. */
  DENIED;

  /**
   * Returns the priority of a bucket.
   *
   * @param spent whether the bucket has less than one token
   * @param denied whether the bucket has denied a request and has not been full since
   */
  static EvictionPriority of(boolean spent, boolean denied) {
    return denied ? DENIED : spent ? EMPTY : TOKENS_LEFT;
  }

  /** Whether an eviction up to this priority may evict a bucket of the priority {@code other}. */
  boolean includes(EvictionPriority other) {
    return other.compareTo(this) <= 0;
  }
}
