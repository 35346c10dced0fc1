package io.penstock.inprocess;

import org.jspecify.annotations.Nullable;

/**
 * One bucket of a joint request while the request is decided. Owned by one thread, which reuses it
 * for its next request. The fields are valid from the step of {@link InProcessBuckets} that sets
 * them.
 */
final class HeldBucket implements SipHash.HashFunction<HeldBucket> {
  /** The claim. */
  InProcessBuckets buckets;

  String key;
  long cost;
  long maxDelayNanos;

  /** Whether nothing will be taken, so that the bucket need not be created. */
  boolean readOnly;

  /** Whether the bucket was found not to exist. */
  boolean absent;

  /** How often the bucket could not be held. */
  int attempts;

  /** The hash of the key. */
  long high;

  long low;

  /** Whether the bucket is held now. */
  boolean held;

  /** The index of its {@link KeyLock}. */
  int lock;

  /** Null if the bucket doesn't exist, which means that it is full. */
  @Nullable Segment segment;

  /** The state under each of several limits; null if there is only one. */
  @Nullable MultiLimitBucket multiLimit;

  int slot;
  long word;
  @Nullable KeyWindows cell;

  /** The result of the evaluation: the debt now, and the debt if the claim were taken. */
  boolean allowed;

  long now;
  long before;
  long after;

  /** For a window: whether the claim was taken, and if not, for how long it would count. */
  boolean taken;

  long lifetime;

  /** For a window: whether it must not allocate more memory. */
  boolean coarse;

  /** For a window: the weight that was reserved in the budget. */
  int room;

  /**
   * The state if nothing is taken: the current one, unless that one is impossible and has to be
   * clamped.
   */
  long unchanged;

  HeldBucket(InProcessBuckets buckets, String key) {
    this.buckets = buckets;
    this.key = key;
  }

  /** Computes the hash of the key, which identifies the bucket in its table. */
  void identify(SipHash hash) {
    hash.then(this, key, this, 0, 0);
  }

  @Override
  public long apply(long high, long low, HeldBucket self, long cost, long maxDebt) {
    this.high = high;
    this.low = low;
    this.lock = KeyLock.index(buckets.tableNumber(), high);
    return 0;
  }

  boolean isSameBucketAs(HeldBucket other) {
    return compareTo(other) == 0;
  }

  /**
   * Orders by lock, which is the order in which all requests acquire their locks, then by bucket.
   */
  int compareTo(HeldBucket other) {
    int byLock = Integer.compare(lock, other.lock);
    int byTable =
        byLock != 0 ? byLock : Long.compare(buckets.tableNumber(), other.buckets.tableNumber());
    int byHigh = byTable != 0 ? byTable : Long.compare(high, other.high);
    return byHigh != 0 ? byHigh : Long.compare(low, other.low);
  }
}
