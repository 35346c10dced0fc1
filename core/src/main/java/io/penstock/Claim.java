package io.penstock;

import java.time.Duration;

/**
 * What one request wants of one limiter, to be decided together with others by {@link
 * RateLimiter#all}. Immutable. Made by {@link RateLimiter#at}.
 *
 * @param limiter whose bucket
 * @param key which bucket
 * @param cost how much, in thousandths of a token
 * @param maxDelayNanos how long the request may be held back for it
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

  /** Where the bucket is, under the limit that is in force now. */
  public Buckets buckets() {
    return limiter.buckets();
  }

  /** The same claim for a request that may be held back for up to {@code maxDelay}. */
  public Claim within(Duration maxDelay) {
    return new Claim(limiter, key, cost, RateLimiter.wait("maxDelay", maxDelay));
  }
}
