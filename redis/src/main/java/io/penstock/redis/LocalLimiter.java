package io.penstock.redis;

import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.TokenBucket;
import java.util.function.IntSupplier;

/**
 * The limiter that decides in process while Redis is unavailable: with the full limit, or with this
 * node's share of it. Thread-safe.
 */
final class LocalLimiter {
  private final LocalBuckets buckets;
  private final String name;
  private final IntSupplier divisor;
  private volatile RateLimiter limiter;

  /** The full limit and the number of nodes that it is divided by now; guarded by this. */
  private Limit full;

  private volatile int nodes;

  /**
   * @param divisor the number of nodes that the limit is divided by; may change
   */
  LocalLimiter(LocalBuckets buckets, String name, Limit full, IntSupplier divisor) {
    this.buckets = buckets;
    this.name = name;
    this.divisor = divisor;
    this.full = full;
    this.nodes = divisor.getAsInt();
    this.limiter = buckets.limiter(name, NodeShares.of(full, nodes));
  }

  /** Returns the limiter, with the share for the current number of nodes. */
  RateLimiter limiter() {
    if (nodes != divisor.getAsInt()) {
      divide();
    }
    return limiter;
  }

  private synchronized void divide() {
    int divisorNow = divisor.getAsInt();
    Limit share;
    try {
      share = NodeShares.of(full, divisorNow);
    } catch (IllegalArgumentException unsupported) {
      // There are so many nodes that a share would take longer than ten years to refill.
      share = limiter.limit();
    }
    nodes = divisorNow;
    if (share instanceof TokenBucket != limiter.limit() instanceof TokenBucket) {
      // Token buckets and windows are in different stores, and share no state anyway.
      RateLimiter old = limiter;
      limiter = buckets.limiter(name, share);
      old.retire();
    } else if (!share.equals(limiter.limit())) {
      limiter.replaceLimit(share);
    }
  }

  synchronized void replaceLimit(Limit next) {
    full = next;
    divide();
  }

  void retire() {
    limiter.retire();
  }

  /** Converts tokens that are missing from the shared bucket to this node's share of them. */
  long share(long missingThousandths) {
    return missingThousandths / nodes;
  }
}
