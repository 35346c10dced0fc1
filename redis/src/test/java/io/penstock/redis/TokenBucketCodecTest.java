package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Rate;
import io.penstock.TokenBucket;
import io.penstock.algorithm.FixedPointRate;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * P2: Redis supports every rate that the in-process store does, rounded down by at most a
 * millionth.
 */
class TokenBucketCodecTest {
  private static final BigInteger MILLION = BigInteger.valueOf(1_000_000);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static void check(BigDecimal perSecond, long burst) {
    TokenBucket limit = new TokenBucket(Rate.of(perSecond, SECOND), burst);
    FixedPointRate fixedRate = new TokenBucketCodec("x", limit, List.of()).fixedRate();
    BigInteger exact = limit.rate().thousandths().multiply(fixedRate.rate().nanos());
    BigInteger kept = fixedRate.rate().thousandths().multiply(limit.rate().nanos());
    assertThat(kept).as("%s", limit).isLessThanOrEqualTo(exact);
    assertThat(exact.subtract(kept).multiply(MILLION)).as("%s", limit).isLessThanOrEqualTo(exact);
    // The bounds of the script's integers.
    assertThat(fixedRate.unitsPerThousandth()).isLessThanOrEqualTo(1L << 49);
    assertThat(fixedRate.ticks(fixedRate.burst())).isLessThan(1L << 49);
  }

  @Test
  void codec_ofARateThatNeedsFineUnits_isExact() {
    TokenBucket limit = new TokenBucket(Rate.of(new BigDecimal("16.6667"), SECOND), 5_000_000_000L);
    FixedPointRate fixedRate = new TokenBucketCodec("x", limit, List.of()).fixedRate();
    assertThat(fixedRate.rate()).isEqualTo(limit.rate());
  }

  @Test
  void codec_ofAnyRateWithFourDecimals_exists() {
    Random random = new Random(1);
    for (int i = 0; i < 20_000; i++) {
      BigDecimal rate = BigDecimal.valueOf(1 + random.nextInt(999_999), 4);
      long most = rate.movePointRight(3).multiply(BigDecimal.valueOf(300_000_000)).longValue();
      long burst = 1 + (long) (Math.pow(random.nextDouble(), 3) * 999_999_999_999L);
      check(rate, Math.min(burst, most));
    }
  }

  @Test
  void codec_ofRatesNearSimpleFractions_exists() {
    for (int period = 1; period <= 600; period++) {
      for (int places = 2; places <= 10; places++) {
        BigDecimal below =
            BigDecimal.ONE.divide(BigDecimal.valueOf(period), places, java.math.RoundingMode.DOWN);
        BigDecimal step = BigDecimal.ONE.movePointLeft(places);
        for (BigDecimal rate : List.of(below, below.add(step))) {
          if (rate.signum() > 0) {
            long most =
                rate.movePointRight(3).multiply(BigDecimal.valueOf(300_000_000)).longValue();
            check(rate, Math.max(1, Math.min(1_000_000_000_000L, most)));
          }
        }
      }
    }
  }
}
