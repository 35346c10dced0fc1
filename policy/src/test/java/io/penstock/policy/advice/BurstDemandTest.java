package io.penstock.policy.advice;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class BurstDemandTest {
  @Provide
  Arbitrary<List<Long>> gaps() {
    return Arbitraries.oneOf(
            Arbitraries.just(0L),
            Arbitraries.longs().between(0, 2_000_000_000L),
            Arbitraries.longs().between(0, 10_000_000_000_000L))
        .list()
        .ofMinSize(1)
        .ofMaxSize(40);
  }

  @Provide
  Arbitrary<CandidateRate> rates() {
    return Arbitraries.of(CandidateRate.ALL);
  }

  @Property(tries = 500)
  void burst_anyTrace_equalsBruteForce(
      @ForAll("gaps") List<Long> gaps, @ForAll("rates") CandidateRate rate) {
    BurstDemand demand = new BurstDemand(rate, 4);
    long[] times = new long[gaps.size()];
    long time = 1_700_000_000_000_000_000L;
    for (int i = 0; i < times.length; i++) {
      time += gaps.get(i);
      times[i] = time;
      demand.add(3, time);
    }

    assertThat(demand.burst(3)).isEqualTo(bruteForce(times, rate));
    assertThat(demand.burst(2)).isZero();
  }

  /** The largest arrivals − rate × time over all intervals, rounded up. */
  private static long bruteForce(long[] times, CandidateRate rate) {
    BigInteger period = BigInteger.valueOf(rate.periodNanos());
    BigInteger max = BigInteger.ZERO;
    for (int from = 0; from < times.length; from++) {
      for (int to = from; to < times.length; to++) {
        BigInteger arrivals = BigInteger.valueOf(to - from + 1L).multiply(period);
        BigInteger refilled =
            BigInteger.valueOf(times[to] - times[from]).multiply(BigInteger.valueOf(rate.tokens()));
        max = max.max(arrivals.subtract(refilled));
      }
    }
    return max.add(period).subtract(BigInteger.ONE).divide(period).longValueExact();
  }
}
