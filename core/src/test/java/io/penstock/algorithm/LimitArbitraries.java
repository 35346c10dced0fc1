package io.penstock.algorithm;

import io.penstock.Rate;
import io.penstock.TokenBucket;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/**
 * Generators of limits and times for properties: the whole supported range, with a bias to corner
 * cases.
 */
public final class LimitArbitraries {
  private static final BigInteger TEN_YEARS = BigInteger.valueOf(Duration.ofDays(3653).toNanos());
  private static final long DAY = Duration.ofDays(1).toNanos();

  private LimitArbitraries() {}

  /** Rates from one per day to a million per second, bursts from a thousandth to a billion. */
  public static Arbitrary<TokenBucket> tokenBuckets() {
    return Combinators.combine(
            rates(),
            Arbitraries.oneOf(
                Arbitraries.longs().between(1, 1_000_000_000_000L),
                Arbitraries.longs().between(1, 100_000),
                Arbitraries.longs().between(1, 1_000).map(tokens -> tokens * 1_000)))
        .as(LimitArbitraries::within);
  }

  private static Arbitrary<Rate> rates() {
    return Arbitraries.oneOf(
        Arbitraries.longs().between(1, 1_000_000).map(n -> rate(n, 0, Duration.ofSeconds(1))),
        Arbitraries.longs().between(1, 100_000).map(n -> rate(n, 0, Duration.ofMinutes(1))),
        Arbitraries.longs().between(1, 100_000).map(n -> rate(n, 0, Duration.ofHours(1))),
        Arbitraries.longs().between(1, 1_000).map(n -> rate(n, 0, Duration.ofDays(1))),
        Arbitraries.longs().between(1, 999_999).map(n -> rate(n, 4, Duration.ofSeconds(1))),
        Arbitraries.longs()
            .between(1_000_000_000L, 999_999_999_999L)
            .map(n -> rate(n, 9, Duration.ofMillis(999))),
        Arbitraries.longs().between(1, 1_000).map(n -> rate(n, 0, Duration.ofNanos(999_999_937))));
  }

  private static Rate rate(long unscaled, int places, Duration period) {
    return Rate.of(BigDecimal.valueOf(unscaled, places), period);
  }

  /** Reduces the burst to what the rate yields in ten years. */
  private static TokenBucket within(Rate rate, long burst) {
    BigInteger most = TEN_YEARS.multiply(rate.thousandths()).divide(rate.nanos());
    return new TokenBucket(rate, Math.max(1, most.min(BigInteger.valueOf(burst)).longValue()));
  }

  /** Steps of an arbitrary clock: none, a tick, a second, years, or backwards. */
  public static Arbitrary<Long> hostileSteps() {
    return Arbitraries.oneOf(
        Arbitraries.just(0L),
        Arbitraries.longs().between(0, 1_000),
        Arbitraries.longs().between(0, 20_000_000_000L),
        Arbitraries.longs().between(0, 5).map(seconds -> seconds * 1_000_000_000L),
        Arbitraries.longs().between(0, 20 * 365 * DAY),
        Arbitraries.longs().between(-20_000_000_000L, 0),
        Arbitraries.longs().between(-20 * 365 * DAY, 0));
  }

  /**
   * Steps of a clock that only moves forward, mostly by durations that are relevant for these
   * limits.
   */
  public static Arbitrary<Long> honestSteps() {
    return Arbitraries.oneOf(
        Arbitraries.just(0L),
        Arbitraries.longs().between(0, 1_000_000),
        Arbitraries.longs().between(0, 20_000_000_000L),
        Arbitraries.longs().between(0, DAY));
  }
}
