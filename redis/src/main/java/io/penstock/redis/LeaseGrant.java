package io.penstock.redis;

import java.util.concurrent.atomic.AtomicLong;

/**
 * An amount of tokens until an instant, in thousandths. Thread-safe. What is left only becomes
 * less, but for what is put back by whoever has the lease's lock.
 */
final class LeaseGrant {
  private final AtomicLong left;
  private final long amount;
  private final long endsNanos;
  private final long level;
  private final long resetNanos;

  /**
   * @param amount what it has to begin with or is about to be given
   * @param granted what it has already
   * @param endsNanos when it ends, by the holder's clock
   * @param level what was left in the bucket when the term was granted
   * @param resetNanos how long it would have taken to be full then
   */
  LeaseGrant(long amount, long granted, long endsNanos, long level, long resetNanos) {
    this.left = new AtomicLong(granted);
    this.amount = amount;
    this.endsNanos = endsNanos;
    this.level = level;
    this.resetNanos = resetNanos;
  }

  /** One that has nothing and is over. */
  static LeaseGrant none(long nowNanos) {
    return new LeaseGrant(0, 0, nowNanos, 0, 0);
  }

  /** Takes so much if it is there, whether or not the term is over by now. */
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

  /** Takes all that is there. */
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

  boolean isOver(long nowNanos) {
    return nowNanos - endsNanos >= 0;
  }

  long endsNanos() {
    return endsNanos;
  }

  /** Whether so much is gone that it is time to ask for more. */
  boolean isLow() {
    return left.get() < amount >> 1;
  }

  /** What was left in the bucket when the term was granted. */
  long level() {
    return level;
  }

  long resetNanos() {
    return resetNanos;
  }
}
