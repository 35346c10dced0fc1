package io.penstock;

import java.time.Duration;

/**
 * What one request wants of one limiter, to be decided together with others by {@link
 * RateLimiter#all}. Immutable. Made by {@link RateLimiter#at}.
 *
 * @param buckets where the bucket is
 * @param key which bucket
 * @param cost how much, in thousandths of a token
 * @param maxDelayNanos how long the request may be held back for it
 */
public record Claim(Buckets buckets, String key, long cost, long maxDelayNanos) {
  public Claim {
    if (cost < 0) {
      throw new IllegalArgumentException("cost must not be negative: " + cost);
    }
    if (maxDelayNanos < 0) {
      throw new IllegalArgumentException("maxDelayNanos must not be negative: " + maxDelayNanos);
    }
  }

  /** The same claim for a request that may be held back for up to {@code maxDelay}. */
  public Claim within(Duration maxDelay) {
    return new Claim(buckets, key, cost, RateLimiter.wait("maxDelay", maxDelay));
  }
}
