package io.penstock.redis;

import io.penstock.Claim;
import java.util.Objects;

/**
 * The tokens that a request takes from one bucket. Immutable. Two claims are equal if they take the
 * same amount from the same bucket under the same limit.
 */
final class RedisClaim {
  private final RedisBuckets buckets;
  private final LimitCodec codec;
  private final String redisKey;
  private final String key;
  private final long thousandths;
  private final long maxDelayNanos;
  private final long cost;
  private final long maxDebt;

  /** Computed lazily; a race writes the same value. */
  private int slot = -1;

  RedisClaim(
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
    this.maxDebt = codec.maxDebt(thousandths, maxDelayNanos);
  }

  RedisBuckets buckets() {
    return buckets;
  }

  LimitCodec codec() {
    return codec;
  }

  /** Whether the limit is a token bucket, which supports refunds. */
  boolean isTokenBucket() {
    return codec instanceof TokenBucketCodec;
  }

  /** Whether a bucket in this process decides while Redis is unavailable. */
  boolean isLocal() {
    return buckets.local() != null;
  }

  /** Returns the same claim on the bucket in this process; only if {@link #isLocal}. */
  Claim local() {
    return new Claim(localLimiter().limiter(), key, thousandths, maxDelayNanos);
  }

  LocalLimiter localLimiter() {
    return Objects.requireNonNull(buckets.local());
  }

  /** The key of the bucket in Redis. */
  String redisKey() {
    return redisKey;
  }

  /** The cluster slot of the bucket. */
  int slot() {
    int known = slot;
    if (known < 0) {
      known = SlotTable.slotOf(redisKey);
      slot = known;
    }
    return known;
  }

  /** The key as given by the caller. */
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

  /**
   * The debt up to which the request is allowed, in units of the limit; negative if it never is.
   */
  long maxDebt() {
    return maxDebt;
  }

  /** How much longer a caller has to wait for {@code larger} than for this; -1 if unknown. */
  @SuppressWarnings("ReferenceEquality")
  long extraWaitNanos(RedisClaim larger) {
    boolean comparable =
        codec == larger.codec
            && maxDebt == larger.maxDebt
            && cost <= larger.cost
            && redisKey.equals(larger.redisKey);
    return comparable ? codec.extraWaitNanos(larger.cost - cost) : -1;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // the buckets of a limiter share one codec
  public boolean equals(Object other) {
    return other instanceof RedisClaim that
        && codec == that.codec
        && cost == that.cost
        && maxDebt == that.maxDebt
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
