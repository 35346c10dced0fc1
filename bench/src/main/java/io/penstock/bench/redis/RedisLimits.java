package io.penstock.bench.redis;

import io.github.bucket4j.distributed.proxy.optimization.DelayParameters;
import io.penstock.Limit;
import java.time.Duration;

/** The limits of the contenders. */
enum RedisLimits {
  /** Never exhausted. */
  GENEROUS(1_000_000_000, 1_000_000, Duration.ofSeconds(1)),

  /** The limit for measuring over-grant. */
  TIGHT(10, 10, Duration.ofSeconds(1)),

  /** The limit for leases; its window is one second. */
  SHARED(400, 400, Duration.ofSeconds(1)),

  /** So slow that no bucket refills and expires within the run. */
  SLOW(10, 1, Duration.ofDays(1));

  final int burst;
  final int tokens;
  final Duration period;

  RedisLimits(int burst, int tokens, Duration period) {
    this.burst = burst;
    this.tokens = tokens;
    this.period = period;
  }

  Limit limit() {
    return Limit.per(tokens, period).burst(burst);
  }

  /** Returns the parameters of Bucket4j that correspond to a lease of Penstock. */
  DelayParameters delays() {
    return new DelayParameters(Math.max(1, burst / 8), Duration.ofMillis(500));
  }

  double tokensPerMilli() {
    return (double) tokens / period.toMillis();
  }
}
