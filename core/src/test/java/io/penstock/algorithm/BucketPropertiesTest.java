package io.penstock.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.TokenBucket;
import io.penstock.algorithm.Bucket.Verdict;
import io.penstock.algorithm.ReferenceBucket.Answer;
import java.math.BigInteger;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** P1, P2, P4, P6 and P9 of the pure function, against the textbook's bucket in exact numbers. */
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
    Pace pace = Pace.of(limit, tickNanos);
    ReferenceBucket reference =
        new ReferenceBucket(pace.rate(), limit.burstThousandths(), tickNanos, start);
    Bucket bucket = Bucket.full(start);
    long now = start;
    long reach = 0;
    for (Step step : steps) {
      now += step.ticks;
      long cost = cost(limit, step.share);
      long delay = step.kind == Kind.RESERVE ? step.maxDelay : 0;
      boolean takes = true;
      if (step.kind == Kind.CHARGE) {
        bucket = bucket.charge(pace, now, cost, reach);
        reference.charge(now, cost);
      } else if (step.kind == Kind.REFUND) {
        bucket = bucket.refund(pace, now, cost, reach);
        reference.refund(now, cost);
      } else {
        long asked = step.kind == Kind.PEEK ? 0 : cost;
        Verdict verdict = bucket.take(pace, now, asked, delay, reach);
        assertThat(answer(pace, verdict)).isEqualTo(reference.take(now, asked, delay));
        bucket = verdict.next();
        takes = verdict.allowed() && asked > 0;
      }
      if (takes) {
        reach = Math.max(reach, pace.ticks(bucket.debt(pace, now, Long.MAX_VALUE) - pace.burst()));
      }
    }
  }

  @Property(tries = TRIES)
  void take_retriedAfterTheHint_isAllowedAndNotATickEarlier(
      @ForAll("limits") TokenBucket limit,
      @ForAll("tickNanos") long tickNanos,
      @ForAll("honest") List<Step> steps) {
    Pace pace = Pace.of(limit, tickNanos);
    Bucket bucket = Bucket.full(0);
    long now = 0;
    for (Step step : steps) {
      now += step.ticks;
      long cost = Math.max(1, cost(limit, step.share));
      Verdict verdict = bucket.take(pace, now, cost, 0, 0);
      if (!verdict.allowed() && !verdict.never()) {
        assertThat(verdict.next()).as("a denial changes nothing").isSameAs(bucket);
        long due = now + verdict.retryAfter();
        assertThat(bucket.take(pace, due, cost, 0, 0).allowed()).isTrue();
        assertThat(bucket.take(pace, due - 1, cost, 0, 0).allowed()).isFalse();
      }
      bucket = verdict.next();
    }
  }

  @Property(tries = TRIES)
  void take_onACoarseClock_grantsNoMoreThanBurstAndRate(
      @ForAll("limits") TokenBucket limit, @ForAll("honest") List<Step> steps) {
    Pace pace = Pace.of(limit, 1);
    Trace trace = new Trace(limit.rate(), limit.burstThousandths());
    Bucket bucket = Bucket.full(0);
    long real = 0;
    for (Step step : steps) {
      real += step.ticks;
      long coarse = real / 1_000_000_000L * 1_000_000_000L;
      long cost = cost(limit, step.share);
      Verdict verdict = bucket.take(pace, coarse, cost, 0, 0);
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
    Pace pace = Pace.of(limit, 1);
    Bucket drained = Bucket.full(0).take(pace, 0, limit.burstThousandths(), 0, 0).next();
    Verdict after = drained.take(pace, -back, limit.burstThousandths(), 0, 0);
    assertThat(after.allowed()).isFalse();
    assertThat(pace.remaining(after.debt())).isZero();
    assertThat(after.retryAfter()).isLessThanOrEqualTo(pace.ticks(pace.burst()));
    long later = -back + pace.ticks(pace.burst());
    assertThat(after.next().take(pace, later, limit.burstThousandths(), 0, 0).allowed()).isTrue();
  }

  @Property(tries = TRIES)
  void take_leftAloneForYears_isExactlyFull(
      @ForAll("limits") TokenBucket limit, @ForAll("idle") long idle) {
    Pace pace = Pace.of(limit, 1);
    Bucket drained = Bucket.full(5).take(pace, 5, limit.burstThousandths(), 0, 0).next();
    long later = 5 + Math.max(idle, pace.ticks(pace.burst()));
    assertThat(drained.take(pace, later, 0, 0, 0).debt()).isZero();
    assertThat(drained.take(pace, later, limit.burstThousandths(), 0, 0).allowed()).isTrue();
    assertThat(drained.take(pace, later, limit.burstThousandths() + 1, 0, 0).never()).isTrue();
  }

  @Property(tries = TRIES)
  void pace_ofAnyLimit_keepsTheRateWithinAPartInAMillionBelow(
      @ForAll("limits") TokenBucket limit, @ForAll("tickNanos") long tickNanos) {
    Pace pace = Pace.of(limit, tickNanos);
    BigInteger exact = limit.rate().thousandths().multiply(pace.rate().nanos());
    BigInteger kept = pace.rate().thousandths().multiply(limit.rate().nanos());
    assertThat(kept).isLessThanOrEqualTo(exact);
    assertThat(exact.subtract(kept).multiply(BigInteger.valueOf(1_000_000)))
        .isLessThanOrEqualTo(exact);
    assertThat(pace.ticks(pace.burst()) * tickNanos)
        .isGreaterThanOrEqualTo(limit.window().toNanos());
  }

  private static Answer answer(Pace pace, Verdict verdict) {
    return new Answer(
        verdict.allowed(),
        verdict.never(),
        verdict.retryAfter(),
        verdict.delay(),
        pace.remaining(verdict.debt()),
        pace.ticks(verdict.debt()));
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
