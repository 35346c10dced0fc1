package io.penstock.bench.redis;

import io.penstock.Limit;
import java.time.Duration;

/** The limits that contenders are given. */
enum Terms {
  /** More than anybody can ask for. */
  GENEROUS(1_000_000_000, 1_000_000, Duration.ofSeconds(1)),

  /** What the over-grant is counted under. */
  TIGHT(10, 10, Duration.ofSeconds(1)),

  /** What nodes share of which each holds a part in advance; its window is a second. */
  SHARED(400, 400, Duration.ofSeconds(1)),

  /** So slow that no bucket is full again, and forgotten, within the run. */
  SLOW(10, 1, Duration.ofDays(1));

  final int burst;
  final int tokens;
  final Duration period;

  Terms(int burst, int tokens, Duration period) {
    this.burst = burst;
    this.tokens = tokens;
    this.period = period;
  }

  Limit limit() {
    return Limit.per(tokens, period).burst(burst);
  }

  double tokensPerMilli() {
    return (double) tokens / period.toMillis();
  }
}
