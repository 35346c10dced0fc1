package io.penstock.algorithm;

import io.penstock.Rate;
import io.penstock.TokenBucket;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Limits and times for properties: all that the design allows, and the odd corners more often. */
public final class LimitArbitraries {
  private static final BigInteger TEN_YEARS = BigInteger.valueOf(Duration.ofDays(3653).toNanos());
  private static final long DAY = Duration.ofDays(1).toNanos();

  private LimitArbitraries() {}

  /** Rates from one a day to a million a second, bursts from a thousandth to a billion. */
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

  /** The limit, with its burst cut to what the rate brings in ten years. */
  private static TokenBucket within(Rate rate, long burst) {
    BigInteger most = TEN_YEARS.multiply(rate.thousandths()).divide(rate.nanos());
    return new TokenBucket(rate, Math.max(1, most.min(BigInteger.valueOf(burst)).longValue()));
  }

  /** Steps of a clock that may do anything: stand, tick, jump a second, years, or back. */
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

  /** Steps of a clock that only goes forward, most of them near what the limits here need. */
  public static Arbitrary<Long> honestSteps() {
    return Arbitraries.oneOf(
        Arbitraries.just(0L),
        Arbitraries.longs().between(0, 1_000_000),
        Arbitraries.longs().between(0, 20_000_000_000L),
        Arbitraries.longs().between(0, DAY));
  }
}
