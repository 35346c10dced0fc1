package io.penstock.redis;

/**
 * What a request wants of one bucket. Immutable; equal to another that wants the same of the same
 * bucket under the same limit.
 */
final class BucketRequest {
  private final RedisBuckets buckets;
  private final LimitCodec codec;
  private final String redisKey;
  private final String key;
  private final long thousandths;
  private final long maxDelayNanos;
  private final long cost;
  private final long most;

  /** Once somebody has asked for it; the same for all who do. */
  private int slot = -1;

  BucketRequest(
      RedisBuckets buckets,
      LimitCodec codec,
      String redisKey,
      String key,
      long thousandths,
      long maxDelayNanos) {
    this.buckets = buckets;
    this.codec = codec;
    this.redisKey = redisKey;
    this.key = key;
    this.thousandths = thousandths;
    this.maxDelayNanos = maxDelayNanos;
    this.cost = codec.cost(thousandths);
    this.most = codec.most(thousandths, maxDelayNanos);
  }

  RedisBuckets buckets() {
    return buckets;
  }

  LimitCodec codec() {
    return codec;
  }

  /** Whether it is about a token bucket, to which something can be given back. */
  boolean limitsTokens() {
    return codec instanceof TokenBucketCodec;
  }

  /** Where the bucket is kept. */
  String redisKey() {
    return redisKey;
  }

  /** The slot that the bucket lies in, in a cluster. */
  int slot() {
    int known = slot;
    if (known < 0) {
      known = SlotTable.slotOf(redisKey);
      slot = known;
    }
    return known;
  }

  /** The key that the caller gave. */
  String key() {
    return key;
  }

  /** The cost, in thousandths of a token. */
  long thousandths() {
    return thousandths;
  }

  long maxDelayNanos() {
    return maxDelayNanos;
  }

  /** The cost, in units of the limit. */
  long cost() {
    return cost;
  }

  /** The debt up to which it passes, in units of the limit; negative if it never does. */
  long most() {
    return most;
  }

  /** How much longer than for this a caller has to wait for {@code larger}; -1 if unknown. */
  @SuppressWarnings("ReferenceEquality")
  long extraWaitNanos(BucketRequest larger) {
    boolean comparable =
        codec == larger.codec
            && most == larger.most
            && cost <= larger.cost
            && redisKey.equals(larger.redisKey);
    return comparable ? codec.extraWaitNanos(larger.cost - cost) : -1;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // buckets of a limiter have one object of terms
  public boolean equals(Object other) {
    return other instanceof BucketRequest that
        && codec == that.codec
        && cost == that.cost
        && most == that.most
        && redisKey.equals(that.redisKey);
  }

  @Override
  public int hashCode() {
    return 31 * redisKey.hashCode() + Long.hashCode(cost);
  }

  @Override
  public String toString() {
    return thousandths + " thousandths of " + buckets.name();
  }
}
