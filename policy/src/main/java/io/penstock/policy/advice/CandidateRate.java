package io.penstock.policy.advice;

import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * A rate that can be suggested: tokens per hour, minute or second. Immutable.
 *
 * @param tokens how many tokens
 * @param unit per which time
 */
public record CandidateRate(long tokens, RateUnit unit) {
  /** Rates of 1, 2 and 5 and their multiples, from one an hour to 10,000 a second. */
  public static final List<CandidateRate> ALL =
      Stream.of(
              rates(RateUnit.HOUR, 1, 2, 5, 10, 20, 30),
              rates(RateUnit.MINUTE, 1, 2, 5, 10, 20, 30),
              rates(RateUnit.SECOND, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000),
              rates(RateUnit.SECOND, 10_000))
          .flatMap(rate -> rate)
          .toList();

  private static final double NANOS_PER_SECOND = 1e9;

  /** The time that a rate refers to, as written in policies. */
  public enum RateUnit {
    HOUR("h", Duration.ofHours(1)),
    MINUTE("min", Duration.ofMinutes(1)),
    SECOND("s", Duration.ofSeconds(1));

    private final String text;
    private final Duration period;

    RateUnit(String text, Duration period) {
      this.text = text;
      this.period = period;
    }
  }

  public CandidateRate {
    if (tokens <= 0) {
      throw new IllegalArgumentException("tokens must be positive: " + tokens);
    }
  }

  private static Stream<CandidateRate> rates(RateUnit unit, long... tokens) {
    return LongStream.of(tokens).mapToObj(each -> new CandidateRate(each, unit));
  }

  /** Returns the nanoseconds in which {@link #tokens} are refilled. */
  long periodNanos() {
    return unit.period.toNanos();
  }

  double perSecond() {
    return tokens * NANOS_PER_SECOND / periodNanos();
  }

  CandidateRate times(int factor) {
    return new CandidateRate(tokens * factor, unit);
  }

  /** Returns the rate as in a policy, such as {@code 10/s}. */
  @Override
  public String toString() {
    return tokens + "/" + unit.text;
  }
}
