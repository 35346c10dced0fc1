package io.penstock.inprocess;

import org.jspecify.annotations.Nullable;

/**
 * One bucket of a joint request while it is decided. Belongs to one thread, which uses it again for
 * its next request; the fields are those of the step that {@link InProcessBuckets} is at.
 */
final class HeldBucket implements SipHash.HashFunction<HeldBucket> {
  /** What is claimed. */
  InProcessBuckets buckets;

  String key;
  long cost;
  long maxDelayNanos;

  /** Whether nothing will be taken of it, so that it need not be made for that. */
  boolean looks;

  /** Whether it was found not to be there. */
  boolean absent;

  /** How often it was not there to be held. */
  int attempts;

  /** Which bucket of its table. */
  long high;

  long low;

  /** Where it is held. */
  boolean held;

  /** The index of its {@link KeyLock}. */
  int lock;

  /** Null if the bucket does not exist, which means that it is full. */
  @Nullable Segment segment;

  /** What the bucket owes under each of several limits; null if there is only one. */
  @Nullable MultiLimitBucket forms;

  int slot;
  long word;
  @Nullable KeyWindows cell;

  /** What was found: the debt as it is, and as it would be with the claim taken. */
  boolean allowed;

  long now;
  long before;
  long after;

  /** Of a window: whether the claim was taken, and if not, how long it would count. */
  boolean taken;

  long lifetime;

  /** Of a window: whether it has to do with the memory that it has. */
  boolean coarse;

  /** Of a window: what the budget has counted for it in advance. */
  int room;

  /** What the bucket becomes if nothing is taken: itself, unless it could not be true. */
  long unchanged;

  HeldBucket(InProcessBuckets buckets, String key) {
    this.buckets = buckets;
    this.key = key;
  }

  /** Notes the hash of the key, which tells the bucket from the others of its table. */
  void identify(SipHash hash) {
    hash.then(this, key, this, 0, 0);
  }

  @Override
  public long apply(long high, long low, HeldBucket self, long cost, long most) {
    this.high = high;
    this.low = low;
    this.lock = KeyLock.index(buckets.order(), high);
    return 0;
  }

  boolean isSameBucketAs(HeldBucket other) {
    return compareTo(other) == 0;
  }

  /** By lock, which is the order in which all requests take theirs; then by bucket. */
  int compareTo(HeldBucket other) {
    int byLock = Integer.compare(lock, other.lock);
    int byTable = byLock != 0 ? byLock : Long.compare(buckets.order(), other.buckets.order());
    int byHigh = byTable != 0 ? byTable : Long.compare(high, other.high);
    return byHigh != 0 ? byHigh : Long.compare(low, other.low);
  }
}
