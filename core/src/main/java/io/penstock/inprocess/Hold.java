package io.penstock.inprocess;

import org.jspecify.annotations.Nullable;

/**
 * One bucket of a joint request while it is decided. Belongs to one thread, which uses it again for
 * its next request; the fields are those of the step that {@link InProcessBuckets} is at.
 */
final class Hold implements SipHash.Then<Hold> {
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

  /** Whether it may be held under another limit, because the request is denied anyway. */
  boolean foreign;

  /** Null of one that is not there, of which nothing is missing. */
  @Nullable Chunk chunk;

  int slot;
  long word;
  WindowTable.@Nullable Cell cell;

  /** What was found: the debt as it is, and as it would be with the claim taken. */
  boolean allowed;

  long now;
  long before;
  long after;

  /** Of a window: whether the claim was taken, and if not, how long it would count. */
  boolean taken;

  long lifetime;

  /** Whether it takes more memory than before. */
  boolean grown;

  /** What the bucket becomes if nothing is taken: itself, unless it could not be true. */
  long unchanged;

  Hold(InProcessBuckets buckets, String key) {
    this.buckets = buckets;
    this.key = key;
  }

  /** Notes the hash of the key, which tells the bucket from the others of its table. */
  void identify(SipHash hash) {
    hash.then(this, key, this, 0, 0);
  }

  @Override
  public long apply(long high, long low, Hold self, long cost, long most) {
    this.high = high;
    this.low = low;
    return 0;
  }

  /** Whether to stop giving up others for it: those may be the rest of the same request. */
  boolean insists() {
    return attempts > 4;
  }

  boolean isSameBucketAs(Hold other) {
    return compareTo(other) == 0;
  }

  /** The order in which buckets are held, the same for everybody. */
  int compareTo(Hold other) {
    int byTable = Long.compare(buckets.order(), other.buckets.order());
    int byHigh = byTable != 0 ? byTable : Long.compare(high, other.high);
    return byHigh != 0 ? byHigh : Long.compare(low, other.low);
  }
}
