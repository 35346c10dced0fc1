package io.penstock;

import java.time.Duration;

/**
 * What one request takes from one limiter, as part of a request over several ({@link
 * RateLimiter#all}). Immutable. Created by {@link RateLimiter#at}.
 *
 * @param limiter the limiter that owns the bucket
 * @param key the key of the bucket
 * @param cost the cost, in thousandths of a token
 * @param maxDelayNanos how long the request may be delayed until the cost is available
 */
public record Claim(RateLimiter limiter, String key, long cost, long maxDelayNanos) {
  public Claim {
    if (cost < 0) {
      throw new IllegalArgumentException("cost must not be negative: " + cost);
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
    return new Claim(limiter, key, cost, RateLimiter.waitNanos("maxDelay", maxDelay));
  }
}
