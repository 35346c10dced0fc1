package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.TokenBucket;
import io.penstock.algorithm.FixedPointRate;
import io.penstock.algorithm.LimitArbitraries;
import io.penstock.testing.ManualClock;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** P6 of the limiter: the clock may step in any direction. */
class HostileClockTest {
  record Step(long nanos, String neighbour, double share) {}

  @Test
  void take_clockSteppedBackAnHourAndDrained_isFullOneWindowLater() {
    ManualClock clock = new ManualClock();
    RateLimiter limiter =
        RateLimiter.on(
            InProcessStore.builder().clock(clock).build(), "x", Limit.perSecond(10).burst(50));
    assertThat(limiter.tryAcquire("k", 10)).isTrue();
    clock.advance(Duration.ofHours(-1));
    int granted = 0;
    while (limiter.tryAcquire("k")) {
      granted++;
    }
    assertThat(granted).as("granted right after the step").isLessThanOrEqualTo(40);
    clock.advance(Duration.ofSeconds(5));
    assertThat(limiter.peek("k").remaining()).isEqualTo(50);
    assertThat(limiter.tryAcquire("k", 50)).isTrue();
    assertThat(limiter.tryAcquire("k", 0.001)).isFalse();
  }

  @Test
  void take_clockSteppedBackWhileEmpty_storesTheClampedStateOnADenial() {
    ManualClock clock = new ManualClock();
    RateLimiter limiter =
        RateLimiter.on(
            InProcessStore.builder().clock(clock).build(), "x", Limit.perSecond(10).burst(50));
    assertThat(limiter.tryAcquire("k", 50)).isTrue();
    clock.advance(Duration.ofHours(-1));
    assertThat(limiter.take("k", 50).retryAfter()).isEqualTo(Duration.ofSeconds(5));
    clock.advance(Duration.ofSeconds(3));
    assertThat(limiter.peek("k").remaining()).isEqualTo(30);
  }

  @Test
  void tryAcquire_clockMovesBackAndForthAcrossAFixedWindow_grantsTheLimitOnce() {
    ManualClock clock = new ManualClock(1_000_000_001);
    RateLimiter limiter =
        RateLimiter.on(
            InProcessStore.builder().clock(clock).build(),
            "x",
            Limit.fixedWindow(5, Duration.ofSeconds(1)));
    int granted = 0;
    for (int i = 0; i < 40; i++) {
      while (limiter.tryAcquire("k")) {
        granted++;
      }
      clock.advanceNanos(i % 2 == 0 ? -2 : 2);
      limiter.peek("k");
    }
    assertThat(granted).isEqualTo(5);
    clock.advance(Duration.ofHours(-1));
    assertThat(limiter.take("k").retryAfter()).isEqualTo(Duration.ofSeconds(1));
    clock.advance(Duration.ofSeconds(1));
    assertThat(limiter.tryAcquire("k", 5)).isTrue();
  }

  /**
   * The bound is a bucket that refills with every step forward and ignores steps back. On any
   * clock, the limiter allows nothing that this bucket would deny, and a window later everything is
   * available.
   */
  @Property(tries = 2000)
  void take_onAnyClock_gainsNothingByStepsBackAndIsFreeWithinAWindow(
      @ForAll("limits") TokenBucket limit,
      @ForAll("starts") long start,
      @ForAll boolean striped,
      @ForAll("steps") List<Step> steps) {
    ManualClock clock = new ManualClock(start);
    Striping striping = striped ? StripesTest.ALWAYS : Striping.DEFAULT;
    RateLimiter limiter =
        RateLimiter.on(
            InProcessStore.builder().clock(clock).striping(striping).build(), "x", limit);
    FixedPointRate fixedRate = FixedPointRate.of(limit, 1);
    BigInteger full = BigInteger.valueOf(fixedRate.burst());
    BigInteger level = full;
    for (Step step : steps) {
      clock.advanceNanos(step.nanos);
      BigInteger gain = BigInteger.valueOf(fixedRate.unitsPerTick());
      level = level.add(gain.multiply(BigInteger.valueOf(Math.max(0, step.nanos)))).min(full);
      long cost = Math.max(1, (long) (limit.burstThousandths() * step.share));
      limiter.take(step.neighbour, 0.001);
      if (limiter.tryAcquire("k", cost / 1_000.0)) {
        level = level.subtract(BigInteger.valueOf(fixedRate.units(cost)));
        assertThat(level).isNotNegative();
      }
    }
    clock.advanceNanos(fixedRate.ticks(fixedRate.burst()));
    assertThat(limiter.tryAcquire("k", limit.burst())).isTrue();
  }

  @Provide
  Arbitrary<TokenBucket> limits() {
    return LimitArbitraries.tokenBuckets();
  }

  @Provide
  Arbitrary<Long> starts() {
    return Arbitraries.oneOf(
        Arbitraries.of(0L, Long.MAX_VALUE - 5, Long.MIN_VALUE), Arbitraries.longs());
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    return Combinators.combine(
            LimitArbitraries.hostileSteps(),
            Arbitraries.strings().alpha().ofLength(2),
            Arbitraries.of(0.001, 0.01, 0.25, 0.5, 1.0))
        .as(Step::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(40);
  }
}
