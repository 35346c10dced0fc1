package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.RateLimiter;
import io.penstock.TokenBucket;
import io.penstock.algorithm.Bucket.TakeResult;
import io.penstock.algorithm.FixedPointRate;
import io.penstock.algorithm.LimitArbitraries;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/**
 * P2, P3, P4, P9 and P10 of the limiter: the same requests to the limiter and to the pure function.
 */
class LimiterDifferentialTest {
  enum Kind {
    TRY,
    DECIDE,
    RESERVE,
    CHARGE,
    REFUND,
    RESET,
    PEEK,
    REPLACE,
    JOINT
  }

  record Step(Kind kind, long nanos, String key, double share, long delay) {}

  private final ManualClock clock = new ManualClock(-7);

  @Property(tries = 5000)
  void everyOperation_onManyKeys_agreesWithThePureFunction(
      @ForAll("limits") TokenBucket first,
      @ForAll("limits") TokenBucket second,
      @ForAll("steps") List<Step> steps) {
    compare(InProcessStore.builder().clock(clock).build(), first, second, steps);
  }

  @Property(tries = 5000)
  void everyOperation_onAStripedKey_agreesWithThePureFunction(
      @ForAll("limits") TokenBucket first,
      @ForAll("limits") TokenBucket second,
      @ForAll("stripedSteps") List<Step> steps) {
    InProcessStore store =
        InProcessStore.builder().clock(clock).striping(StripesTest.ALWAYS).build();
    compare(store, first, second, steps);
  }

  private void compare(
      InProcessStore store, TokenBucket first, TokenBucket second, List<Step> steps) {
    clock.set(-7);
    RateLimiter limiter = RateLimiter.on(store, "first", first);
    RateLimiter other = RateLimiter.on(store, "second", second);
    ModelLimiter model = new ModelLimiter(first);
    ModelLimiter otherModel = new ModelLimiter(second);
    TokenBucket limit = first;
    for (Step step : steps) {
      clock.advanceNanos(step.nanos);
      long now = clock.nanos();
      long cost = (long) (limit.burstThousandths() * step.share);
      double tokens = cost / 1_000.0;
      switch (step.kind) {
        case TRY ->
            // A cost that can never pass is denied without reading the bucket.
            assertThat(limiter.tryAcquire(step.key, tokens))
                .isEqualTo(
                    model.fixedRate().isWithinBurst(cost)
                        && model.take(step.key, now, cost, 0).allowed());
        case DECIDE ->
            compare(limiter.take(step.key, tokens), model, model.take(step.key, now, cost, 0));
        case PEEK -> compare(limiter.peek(step.key), model, model.take(step.key, now, 0, 0));
        case RESERVE ->
            compare(
                RateLimiter.all(limiter.at(step.key, tokens).within(Duration.ofNanos(step.delay)))
                    .take(),
                model,
                model.take(step.key, now, cost, step.delay));
        case CHARGE -> {
          limiter.charge(step.key, tokens);
          model.charge(step.key, now, cost);
        }
        case REFUND -> {
          limiter.refund(step.key, tokens);
          model.refund(step.key, now, cost);
        }
        case RESET -> {
          limiter.reset(step.key);
          model.reset(step.key);
        }
        case REPLACE -> {
          limit = limit.equals(first) ? second : first;
          limiter.replaceLimit(limit);
          model.replaceLimit(limit);
          compare(limiter.peek(step.key), model, model.take(step.key, now, 0, 0));
        }
        case JOINT -> {
          Decision joint = RateLimiter.all(limiter.at(step.key, tokens), other.at("x")).take();
          if (cost > 0 && model.fixedRate().isWithinBurst(cost)) {
            model.touch(step.key, now);
          }
          TakeResult mine = model.ask(step.key, now, cost, 0);
          TakeResult others = otherModel.ask("x", now, 1_000, 0);
          assertThat(joint.allowed()).isEqualTo(mine.allowed() && others.allowed());
          if (joint.allowed()) {
            model.take(step.key, now, cost, 0);
            otherModel.commit("x", now, others.next());
          }
          assertThat(joint.results()).hasSize(2);
          compare(limiter.peek(step.key), model, model.take(step.key, now, 0, 0));
          compare(other.peek("x"), otherModel, otherModel.take("x", now, 0, 0));
        }
      }
    }
  }

  private static void compare(Decision decision, ModelLimiter model, TakeResult verdict) {
    FixedPointRate fixedRate = model.fixedRate();
    assertThat(decision.allowed()).isEqualTo(verdict.allowed());
    assertThat(decision.neverAllowed()).isEqualTo(verdict.neverAllowed());
    assertThat(decision.remainingThousandths()).isEqualTo(fixedRate.remaining(verdict.debt()));
    assertThat(decision.resetAfter().toNanos()).isEqualTo(fixedRate.ticks(verdict.debt()));
    assertThat(decision.delay().toNanos()).isEqualTo(verdict.delay());
    if (!decision.neverAllowed()) {
      assertThat(decision.retryAfter().toNanos()).isEqualTo(verdict.retryAfter());
    }
  }

  @Provide
  Arbitrary<TokenBucket> limits() {
    return LimitArbitraries.tokenBuckets();
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    return Combinators.combine(
            Arbitraries.of(Kind.values()),
            LimitArbitraries.honestSteps(),
            Arbitraries.of("a", "b", "c", "d", "e", "f", "g", "h", "ключ", "鍵"),
            Arbitraries.of(0.0, 0.01, 0.3, 0.5, 1.0, 1.5),
            Arbitraries.longs().between(0, 5_000_000_000L))
        .as(Step::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(60);
  }

  /** Mostly small requests for one key at short intervals, for which buckets stay striped. */
  @Provide
  Arbitrary<List<Step>> stripedSteps() {
    Arbitrary<Kind> kinds =
        Arbitraries.frequencyOf(
            Tuple.of(9, Arbitraries.just(Kind.TRY)), Tuple.of(1, Arbitraries.of(Kind.values())));
    Arbitrary<Long> pauses =
        Arbitraries.frequencyOf(
            Tuple.of(9, Arbitraries.longs().between(0, 1_000_000)),
            Tuple.of(1, LimitArbitraries.honestSteps()));
    return Combinators.combine(
            kinds,
            pauses,
            Arbitraries.just("a"),
            Arbitraries.frequency(
                Tuple.of(6, 0.01), Tuple.of(3, 0.003), Tuple.of(1, 0.2), Tuple.of(1, 0.4)),
            Arbitraries.longs().between(0, 5_000_000_000L))
        .as(Step::new)
        .list()
        .ofMinSize(10)
        .ofMaxSize(80);
  }
}
