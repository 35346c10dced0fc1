package io.penstock.redis;

import java.util.concurrent.atomic.AtomicLong;

/**
 * An amount of tokens with an expiry time, in thousandths. Thread-safe. The remaining amount only
 * decreases, except for tokens that are returned under the lock of the lease.
 */
final class LeaseGrant {
  private final AtomicLong left;
  private final long amount;
  private final long expiresNanos;
  private final long level;
  private final long resetNanos;

  /**
   * @param amount the initial amount, including tokens that are about to be added
   * @param granted the amount that is available immediately
   * @param expiresNanos the expiry time, by the node's clock
   * @param level the tokens left in the bucket at the time of the grant
   * @param resetNanos the time until the bucket would have been full, at the time of the grant
   */
  LeaseGrant(long amount, long granted, long expiresNanos, long level, long resetNanos) {
    this.left = new AtomicLong(granted);
    this.amount = amount;
    this.expiresNanos = expiresNanos;
    this.level = level;
    this.resetNanos = resetNanos;
  }

  /** Returns an empty grant that has expired. */
  static LeaseGrant none(long nowNanos) {
    return new LeaseGrant(0, 0, nowNanos, 0, 0);
  }

  /** Takes {@code thousandths} if they are available, even if the grant has expired. */
  boolean take(long thousandths) {
    long before = left.get();
    while (before >= thousandths) {
      if (left.compareAndSet(before, before - thousandths)) {
        return true;
      }
      before = left.get();
    }
    return false;
  }

  /** Takes everything that is left. */
  long drain() {
    return left.getAndSet(0);
  }

  void add(long thousandths) {
    left.addAndGet(thousandths);
  }

  long left() {
    return left.get();
  }

  long amount() {
    return amount;
  }

  boolean isExpired(long nowNanos) {
    return nowNanos - expiresNanos >= 0;
  }

  long expiresNanos() {
    return expiresNanos;
  }

  /** Whether so much is used that the lease should be renewed. */
  boolean isLow() {
    return left.get() < amount >> 1;
  }

  /** The tokens left in the bucket at the time of the grant. */
  long level() {
    return level;
  }

  long resetNanos() {
    return resetNanos;
  }
}
