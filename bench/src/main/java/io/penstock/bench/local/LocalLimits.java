package io.penstock.bench.local;

import io.penstock.Limit;
import io.penstock.bench.contest.ExpectedOutcome;
import java.time.Duration;

/** The limits of the contenders. Public for JMH. */
public enum LocalLimits {
  /** Never exhausted within a fork. */
  ALLOWED(1_000_000_000, 1_000_000, Duration.ofSeconds(1)),

  /** Never exhausted, and buckets do not refill within the run, so that none is dropped. */
  KEPT(1_000_000, 1, Duration.ofMinutes(1)),

  /** One token, which is taken before the measurement. */
  DENIED(1, 1, Duration.ofDays(1)),

  /** So slow that no bucket refills within the run, so that none is dropped. */
  SLOW(10, 1, Duration.ofDays(1));

  final int burst;
  final int tokens;
  final Duration period;

  LocalLimits(int burst, int tokens, Duration period) {
    this.burst = burst;
    this.tokens = tokens;
    this.period = period;
  }

  public Limit limit() {
    return Limit.per(tokens, period).burst(burst);
  }

  /** Returns the time to refill a whole burst. */
  Duration burstPeriod() {
    return period.multipliedBy(burst).dividedBy(tokens);
  }

  public ExpectedOutcome outcome() {
    return this == DENIED ? ExpectedOutcome.DENIED : ExpectedOutcome.ALLOWED;
  }
}
