package io.penstock.bench.local;

import io.penstock.Limit;
import io.penstock.bench.contest.Outcome;
import java.time.Duration;

/** The limits that contenders are given. Public for JMH. */
public enum Terms {
  /** More than a fork can ask for. */
  ALLOWED(1_000_000_000, 1_000_000, Duration.ofSeconds(1)),

  /** The same, with buckets that are not full again within the run, so that none is forgotten. */
  KEPT(1_000_000, 1, Duration.ofMinutes(1)),

  /** One token, which is gone before the measurement. */
  DENIED(1, 1, Duration.ofDays(1)),

  /** So slow that no bucket is full again within the run, and none may be forgotten. */
  SLOW(10, 1, Duration.ofDays(1));

  final int burst;
  final int tokens;
  final Duration period;

  Terms(int burst, int tokens, Duration period) {
    this.burst = burst;
    this.tokens = tokens;
    this.period = period;
  }

  public Limit limit() {
    return Limit.per(tokens, period).burst(burst);
  }

  /** How long it takes to gain a whole burst. */
  Duration burstPeriod() {
    return period.multipliedBy(burst).dividedBy(tokens);
  }

  public Outcome outcome() {
    return this == DENIED ? Outcome.DENIED : Outcome.ALLOWED;
  }
}
