package io.penstock.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Limit;
import io.penstock.Rate;
import java.math.BigInteger;
import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class FixedPointRateTest {
  @Test
  void of_threeASecond_hasWholeUnits() {
    FixedPointRate fixedRate = FixedPointRate.of(Limit.perSecond(3).burst(3), 1);
    assertThat(fixedRate.unitsPerTick()).isEqualTo(3);
    assertThat(fixedRate.unitsPerThousandth()).isEqualTo(1_000_000);
    assertThat(fixedRate.burst()).isEqualTo(3_000_000_000L);
    assertThat(fixedRate.ticks(fixedRate.units(1_000))).isEqualTo(333_333_334);
    assertThat(fixedRate.rate()).isEqualTo(Rate.of(3, Duration.ofSeconds(1)));
    assertThat(fixedRate.span()).isEqualTo((1L << 60) / 3);
    assertThat(fixedRate).hasToString("3 units per tick, 1000000 per thousandth, burst 3000000000");
  }

  @Test
  void of_aRateTooFineForItsBurst_isRoundedDownAndReportsIt() {
    Rate rate = Rate.of(new java.math.BigDecimal("3.171234567891"), Duration.ofSeconds(1));
    FixedPointRate fixedRate =
        FixedPointRate.of(new io.penstock.TokenBucket(rate, 1_000_000_000_000L), 1);
    assertThat(fixedRate.rate()).isNotEqualTo(rate);
    assertThat(fixedRate.rate().perSecond()).isBetween(3.171231, 3.171234567891);
  }

  @Test
  void units_moreThanAnyDebt_isClampedBelowTheMaximum() {
    FixedPointRate fixedRate = FixedPointRate.of(Limit.perSecond(1).burst(1), 1);
    long last = (FixedPointRate.MAX_DEBT - 1) / fixedRate.unitsPerThousandth();
    assertThat(fixedRate.units(last)).isEqualTo(last * fixedRate.unitsPerThousandth());
    assertThat(fixedRate.units(last + 1)).isEqualTo(FixedPointRate.MAX_DEBT - 1);
    assertThat(fixedRate.units(Long.MAX_VALUE)).isEqualTo(FixedPointRate.MAX_DEBT - 1);
  }

  @Test
  void ceiling_foreverOrNoDelay_isWithinTheMaximum() {
    FixedPointRate fixedRate = FixedPointRate.of(Limit.perSecond(7).burst(5), 1);
    assertThat(fixedRate.ceiling(0)).isEqualTo(fixedRate.burst());
    assertThat(fixedRate.ceiling(10)).isEqualTo(fixedRate.burst() + 70);
    assertThat(fixedRate.ceiling(Long.MAX_VALUE))
        .isBetween(FixedPointRate.MAX_DEBT - 7, FixedPointRate.MAX_DEBT);
  }

  @Test
  void remaining_aroundEmpty_isNeverNegative() {
    FixedPointRate fixedRate = FixedPointRate.of(Limit.perSecond(1).burst(2), 1);
    assertThat(fixedRate.remaining(0)).isEqualTo(2_000);
    assertThat(fixedRate.remaining(fixedRate.burst() - 1)).isZero();
    assertThat(fixedRate.remaining(fixedRate.burst())).isZero();
    assertThat(fixedRate.remaining(2 * fixedRate.burst())).isZero();
  }

  @Test
  void equals_comparesAllParameters() {
    FixedPointRate fixedRate = FixedPointRate.of(Limit.perSecond(10).burst(5), 1);
    assertThat(fixedRate).isEqualTo(FixedPointRate.of(Limit.perMinute(600).burst(5), 1));
    assertThat(fixedRate).hasSameHashCodeAs(FixedPointRate.of(Limit.perMinute(600).burst(5), 1));
    assertThat(fixedRate).isNotEqualTo(FixedPointRate.of(Limit.perSecond(10).burst(6), 1));
    assertThat(fixedRate).isNotEqualTo(FixedPointRate.of(Limit.perSecond(11).burst(5), 1));
    assertThat(fixedRate).isNotEqualTo(FixedPointRate.of(Limit.perSecond(10).burst(5), 1_000));
    assertThat(fixedRate).isNotEqualTo("10/s");
  }

  @Property(tries = 500)
  void atMost_smallBounds_isTheLargestThatFits(
      @ForAll @IntRange(min = 1, max = 400) int numerator,
      @ForAll @IntRange(min = 1, max = 400) int denominator,
      @ForAll @IntRange(min = 1, max = 60) int maxNumerator,
      @ForAll @IntRange(min = 1, max = 60) int maxDenominator) {
    int bestNumerator = 0;
    int bestDenominator = 1;
    for (int q = 1; q <= maxDenominator; q++) {
      int p = Math.min(maxNumerator, numerator * q / denominator);
      if (p * bestDenominator > bestNumerator * q) {
        bestNumerator = p;
        bestDenominator = q;
      }
    }
    Fraction found =
        new Fraction(BigInteger.valueOf(numerator), BigInteger.valueOf(denominator))
            .atMost(BigInteger.valueOf(maxNumerator), BigInteger.valueOf(maxDenominator));
    assertThat(found.numerator().multiply(BigInteger.valueOf(bestDenominator)))
        .as("%s, best %s/%s", found, bestNumerator, bestDenominator)
        .isEqualTo(found.denominator().multiply(BigInteger.valueOf(bestNumerator)));
    assertThat(found.numerator().intValue()).isLessThanOrEqualTo(maxNumerator);
    assertThat(found.denominator().intValue()).isLessThanOrEqualTo(maxDenominator);
  }
}
