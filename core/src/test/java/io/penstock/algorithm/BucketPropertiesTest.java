package io.penstock.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.TokenBucket;
import io.penstock.algorithm.Bucket.TakeResult;
import io.penstock.algorithm.ReferenceBucket.Answer;
import java.math.BigInteger;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * P1, P2, P4, P6 and P9 of the pure function, compared with a textbook bucket in exact arithmetic.
 */
class BucketPropertiesTest {
  private static final int TRIES = 3000;

  enum Kind {
    TAKE,
    RESERVE,
    CHARGE,
    REFUND,
    PEEK
  }

  record Step(Kind kind, long ticks, double share, long maxDelay) {}

  @Property(tries = TRIES)
  void everyOperation_onAnyClock_agreesWithTheReference(
      @ForAll("limits") TokenBucket limit,
      @ForAll("tickNanos") long tickNanos,
      @ForAll("starts") long start,
      @ForAll("hostile") List<Step> steps) {
    FixedPointRate fixedRate = FixedPointRate.of(limit, tickNanos);
    ReferenceBucket reference =
        new ReferenceBucket(fixedRate.rate(), limit.burstThousandths(), tickNanos, start);
    Bucket bucket = Bucket.full(start);
    long now = start;
    long reach = 0;
    for (Step step : steps) {
      now += step.ticks;
      long cost = cost(limit, step.share);
      long delay = step.kind == Kind.RESERVE ? step.maxDelay : 0;
      boolean takes = true;
      if (step.kind == Kind.CHARGE) {
        bucket = bucket.charge(fixedRate, now, cost, reach);
        reference.charge(now, cost);
      } else if (step.kind == Kind.REFUND) {
        bucket = bucket.refund(fixedRate, now, cost, reach);
        reference.refund(now, cost);
      } else {
        long taken = step.kind == Kind.PEEK ? 0 : cost;
        TakeResult verdict = bucket.take(fixedRate, now, taken, delay, reach);
        assertThat(answer(fixedRate, verdict)).isEqualTo(reference.take(now, taken, delay));
        bucket = verdict.next();
        takes = verdict.allowed() && taken > 0;
      }
      if (takes) {
        reach =
            Math.max(
                reach,
                fixedRate.ticks(bucket.debt(fixedRate, now, Long.MAX_VALUE) - fixedRate.burst()));
      }
    }
  }

  @Property(tries = TRIES)
  void take_retriedAfterTheHint_isAllowedAndNotATickEarlier(
      @ForAll("limits") TokenBucket limit,
      @ForAll("tickNanos") long tickNanos,
      @ForAll("honest") List<Step> steps) {
    FixedPointRate fixedRate = FixedPointRate.of(limit, tickNanos);
    Bucket bucket = Bucket.full(0);
    long now = 0;
    for (Step step : steps) {
      now += step.ticks;
      long cost = Math.max(1, cost(limit, step.share));
      TakeResult verdict = bucket.take(fixedRate, now, cost, 0, 0);
      if (!verdict.allowed() && !verdict.neverAllowed()) {
        assertThat(verdict.next()).as("a denial changes nothing").isSameAs(bucket);
        long due = now + verdict.retryAfter();
        assertThat(bucket.take(fixedRate, due, cost, 0, 0).allowed()).isTrue();
        assertThat(bucket.take(fixedRate, due - 1, cost, 0, 0).allowed()).isFalse();
      }
      bucket = verdict.next();
    }
  }

  @Property(tries = TRIES)
  void take_onACoarseClock_grantsNoMoreThanBurstAndRate(
      @ForAll("limits") TokenBucket limit, @ForAll("honest") List<Step> steps) {
    FixedPointRate fixedRate = FixedPointRate.of(limit, 1);
    Trace trace = new Trace(limit.rate(), limit.burstThousandths());
    Bucket bucket = Bucket.full(0);
    long real = 0;
    for (Step step : steps) {
      real += step.ticks;
      long coarse = real / 1_000_000_000L * 1_000_000_000L;
      long cost = cost(limit, step.share);
      TakeResult verdict = bucket.take(fixedRate, coarse, cost, 0, 0);
      if (verdict.allowed()) {
        trace.grant(coarse, cost);
      }
      bucket = verdict.next();
    }
    trace.check();
  }

  @Property(tries = TRIES)
  void take_afterAStepBack_gainsNothingAndIsFreeWithinAWindow(
      @ForAll("limits") TokenBucket limit, @ForAll("stepsBack") long back) {
    FixedPointRate fixedRate = FixedPointRate.of(limit, 1);
    Bucket drained = Bucket.full(0).take(fixedRate, 0, limit.burstThousandths(), 0, 0).next();
    TakeResult after = drained.take(fixedRate, -back, limit.burstThousandths(), 0, 0);
    assertThat(after.allowed()).isFalse();
    assertThat(fixedRate.remaining(after.debt())).isZero();
    assertThat(after.retryAfter()).isLessThanOrEqualTo(fixedRate.ticks(fixedRate.burst()));
    long later = -back + fixedRate.ticks(fixedRate.burst());
    assertThat(after.next().take(fixedRate, later, limit.burstThousandths(), 0, 0).allowed())
        .isTrue();
  }

  @Property(tries = TRIES)
  void take_leftAloneForYears_isExactlyFull(
      @ForAll("limits") TokenBucket limit, @ForAll("idle") long idle) {
    FixedPointRate fixedRate = FixedPointRate.of(limit, 1);
    Bucket drained = Bucket.full(5).take(fixedRate, 5, limit.burstThousandths(), 0, 0).next();
    long later = 5 + Math.max(idle, fixedRate.ticks(fixedRate.burst()));
    assertThat(drained.take(fixedRate, later, 0, 0, 0).debt()).isZero();
    assertThat(drained.take(fixedRate, later, limit.burstThousandths(), 0, 0).allowed()).isTrue();
    assertThat(drained.take(fixedRate, later, limit.burstThousandths() + 1, 0, 0).neverAllowed())
        .isTrue();
  }

  @Property(tries = TRIES)
  void fixedPointRate_ofAnyLimit_isAtMostAPartInAMillionBelow(
      @ForAll("limits") TokenBucket limit, @ForAll("tickNanos") long tickNanos) {
    FixedPointRate fixedRate = FixedPointRate.of(limit, tickNanos);
    BigInteger exact = limit.rate().thousandths().multiply(fixedRate.rate().nanos());
    BigInteger kept = fixedRate.rate().thousandths().multiply(limit.rate().nanos());
    assertThat(kept).isLessThanOrEqualTo(exact);
    assertThat(exact.subtract(kept).multiply(BigInteger.valueOf(1_000_000)))
        .isLessThanOrEqualTo(exact);
    assertThat(fixedRate.ticks(fixedRate.burst()) * tickNanos)
        .isGreaterThanOrEqualTo(limit.window().toNanos());
  }

  private static Answer answer(FixedPointRate fixedRate, TakeResult verdict) {
    return new Answer(
        verdict.allowed(),
        verdict.neverAllowed(),
        verdict.retryAfter(),
        verdict.delay(),
        fixedRate.remaining(verdict.debt()),
        fixedRate.ticks(verdict.debt()));
  }

  private static long cost(TokenBucket limit, double share) {
    return (long) (limit.burstThousandths() * share);
  }

  @Provide
  Arbitrary<TokenBucket> limits() {
    return LimitArbitraries.tokenBuckets();
  }

  @Provide
  Arbitrary<Long> tickNanos() {
    return Arbitraries.of(1L, 1_000L);
  }

  @Provide
  Arbitrary<Long> starts() {
    return Arbitraries.oneOf(
        Arbitraries.of(0L, Long.MAX_VALUE, Long.MAX_VALUE - 1_000_000_000L, Long.MIN_VALUE),
        Arbitraries.longs());
  }

  @Provide
  Arbitrary<Long> stepsBack() {
    return Arbitraries.longs().between(1, 100L * 365 * 86_400 * 1_000_000_000L / 2);
  }

  @Provide
  Arbitrary<Long> idle() {
    return Arbitraries.longs().between(0, 100L * 365 * 86_400 * 1_000_000_000L);
  }

  @Provide
  Arbitrary<List<Step>> hostile() {
    return steps(LimitArbitraries.hostileSteps());
  }

  @Provide
  Arbitrary<List<Step>> honest() {
    return steps(LimitArbitraries.honestSteps());
  }

  private static Arbitrary<List<Step>> steps(Arbitrary<Long> ticks) {
    Arbitrary<Double> shares =
        Arbitraries.oneOf(
            Arbitraries.of(0.0, 0.001, 0.5, 1.0, 1.01, 3.0), Arbitraries.doubles().between(0, 1));
    return Combinators.combine(
            Arbitraries.of(Kind.values()),
            ticks,
            shares,
            Arbitraries.longs().between(0, 5_000_000_000L))
        .as(Step::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(40);
  }
}
