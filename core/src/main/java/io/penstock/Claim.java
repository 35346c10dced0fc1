package io.penstock;

import java.time.Duration;

/**
 * The tokens that a request over several limits ({@link RateLimiter#all}) takes from one of the
 * limiters. Immutable. Created by {@link RateLimiter#at}.
 *
 * @param limiter the limiter that owns the bucket
 * @param key the key of the bucket
 * @param costThousandths the cost, in thousandths of a token
 * @param maxDelayNanos how long the request may be delayed until the cost is available
 */
public record Claim(RateLimiter limiter, String key, long costThousandths, long maxDelayNanos) {
  public Claim {
    if (costThousandths < 0) {
      throw new IllegalArgumentException(
          "costThousandths must not be negative: " + costThousandths);
    }
    if (maxDelayNanos < 0) {
      throw new IllegalArgumentException("maxDelayNanos must not be negative: " + maxDelayNanos);
    }
  }

  /** Returns the buckets under the limit that is active now. */
  public Buckets buckets() {
    return limiter.buckets();
  }

  /** Returns the same claim for a request that may be delayed by up to {@code maxDelay}. */
  public Claim within(Duration maxDelay) {
    return new Claim(limiter, key, costThousandths, RateLimiter.waitNanos("maxDelay", maxDelay));
  }
}
