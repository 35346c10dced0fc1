package io.penstock.redis;

/**
 * What a request wants of one bucket. Immutable; equal to another that wants the same of the same
 * bucket under the same limit.
 */
final class Part {
  private final RedisBuckets buckets;
  private final Terms terms;
  private final String redisKey;
  private final String key;
  private final long thousandths;
  private final long maxDelayNanos;
  private final long cost;
  private final long most;

  /** Once somebody has asked for it; the same for all who do. */
  private int slot = -1;

  Part(
      RedisBuckets buckets,
      Terms terms,
      String redisKey,
      String key,
      long thousandths,
      long maxDelayNanos) {
    this.buckets = buckets;
    this.terms = terms;
    this.redisKey = redisKey;
    this.key = key;
    this.thousandths = thousandths;
    this.maxDelayNanos = maxDelayNanos;
    this.cost = terms.cost(thousandths);
    this.most = terms.most(thousandths, maxDelayNanos);
  }

  RedisBuckets buckets() {
    return buckets;
  }

  Terms terms() {
    return terms;
  }

  /** Whether it is about a token bucket, to which something can be given back. */
  boolean limitsTokens() {
    return terms instanceof BucketTerms;
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
  long extraWaitNanos(Part larger) {
    boolean comparable =
        terms == larger.terms
            && most == larger.most
            && cost <= larger.cost
            && redisKey.equals(larger.redisKey);
    return comparable ? terms.extraWaitNanos(larger.cost - cost) : -1;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // buckets of a limiter have one object of terms
  public boolean equals(Object other) {
    return other instanceof Part that
        && terms == that.terms
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
