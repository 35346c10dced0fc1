package io.penstock.policy.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.Rate;
import io.penstock.TokenBucket;
import io.penstock.policy.Mode;
import io.penstock.policy.Outcome;
import io.penstock.policy.Verdict;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

/** The values in headers, compared with limiters and exact arithmetic. */
class VerdictResponsesPropertiesTest {
  private static final VerdictResponses ANSWERS =
      new VerdictResponses(HeaderFormat.ALL, Jitter.DEFAULT);
  private static final BigInteger SECOND = BigInteger.valueOf(1_000_000_000);

  /** Some time passes, then a share of the burst is requested. */
  record Step(long nanos, double share) {}

  private static Map<String, String> headers(Outcome... outcomes) {
    Map<String, String> headers = new LinkedHashMap<>();
    ANSWERS.headers(
        Verdict.of(List.of(outcomes)),
        (name, value) -> assertThat(headers.put(name, value)).as(name).isNull());
    return headers;
  }

  private static long number(Map<String, String> headers, String name) {
    return Long.parseLong(headers.get(name));
  }

  private static long cost(Limit limit, Step step) {
    long cost = (long) (step.share * limit.burstThousandths());
    boolean whole = limit.exceeded().code().equals("sliding_window_log_exceeded");
    return whole ? cost / 1_000 * 1_000 : cost;
  }

  @Property(tries = 2_000)
  void reset_allowedByABucket_isTheSmallestSecondWithAnotherToken(
      @ForAll("buckets") TokenBucket limit, @ForAll("steps") List<Step> steps) {
    Limited limited = new Limited("rule", limit);
    for (Step step : steps) {
      limited.clock.advanceNanos(step.nanos);
      Outcome outcome = limited.take(cost(limit, step));
      Map<String, String> headers = headers(outcome);
      if (outcome.decision().allowed()) {
        long remaining = outcome.decision().remainingThousandths();
        assertThat(number(headers, "RateLimit-Remaining")).isEqualTo(remaining / 1_000);
        assertSmallest(
            BigInteger.valueOf(number(headers, "RateLimit-Reset")),
            BigInteger.valueOf(nextLevel(limit, remaining) - remaining),
            limit.rate());
      }
    }
  }

  private static long nextLevel(Limit limit, long remaining) {
    return Math.min((remaining / 1_000 + 1) * 1_000, limit.burstThousandths());
  }

  /** Checks that {@code seconds} refill what is missing, and one second less doesn't. */
  private static void assertSmallest(BigInteger seconds, BigInteger missing, Rate rate) {
    BigInteger needed = missing.multiply(rate.nanos());
    BigInteger perSecond = rate.thousandths().multiply(SECOND);
    assertThat(seconds.multiply(perSecond)).isGreaterThanOrEqualTo(needed);
    if (seconds.signum() > 0) {
      assertThat(seconds.subtract(BigInteger.ONE).multiply(perSecond)).isLessThan(needed);
    }
  }

  @Property(tries = 1_000)
  void reset_waitedFor_bringsAnotherToken(
      @ForAll("exactBuckets") TokenBucket limit, @ForAll("steps") List<Step> steps) {
    Limited limited = new Limited("rule", limit);
    for (Step step : steps) {
      limited.clock.advanceNanos(step.nanos);
      Outcome outcome = limited.take(cost(limit, step));
      if (outcome.decision().allowed()) {
        long next = nextLevel(limit, outcome.decision().remainingThousandths());
        limited.clock.advance(Duration.ofSeconds(number(headers(outcome), "RateLimit-Reset")));
        assertThat(limited.take(0).decision().remainingThousandths()).isGreaterThanOrEqualTo(next);
      }
    }
  }

  @Property(tries = 1_000)
  void reset_allowedWithDelay_isTheSecondOfTheNextToken(
      @ForAll("exactBuckets") TokenBucket limit, @ForAll("steps") List<Step> steps) {
    Limited limited = new Limited("rule", limit);
    Rate rate = limit.rate();
    BigInteger perSecond = rate.thousandths().multiply(SECOND);
    // The missing thousandths, multiplied by the nanoseconds of the rate.
    BigInteger debt = BigInteger.ZERO;
    for (Step step : steps) {
      BigInteger paid = BigInteger.valueOf(step.nanos).multiply(rate.thousandths());
      debt = debt.subtract(paid).max(BigInteger.ZERO);
      limited.clock.advanceNanos(step.nanos);
      long cost = Math.min(cost(limit, step), limit.burstThousandths());
      Outcome outcome = limited.take(cost, Duration.ofDays(10_000));
      debt = debt.add(BigInteger.valueOf(cost).multiply(rate.nanos()));
      if (outcome.decision().delay().isZero()) {
        continue;
      }
      Map<String, String> headers = headers(outcome);
      assertThat(headers).containsEntry("RateLimit-Remaining", "0");
      long atFull = limit.burstThousandths() - Math.min(1_000, limit.burstThousandths());
      BigInteger exact = debt.subtract(BigInteger.valueOf(atFull).multiply(rate.nanos()));
      BigInteger reset = BigInteger.valueOf(number(headers, "RateLimit-Reset"));
      BigInteger micro = perSecond.divide(BigInteger.valueOf(1_000_000)).add(BigInteger.ONE);
      assertThat(reset.multiply(perSecond).add(micro)).isGreaterThanOrEqualTo(exact);
      assertThat(reset.subtract(BigInteger.ONE).multiply(perSecond)).isLessThan(exact);
    }
  }

  @Property(tries = 2_000)
  void retryAfter_deniedCallerWhoWaits_isAllowed(
      @ForAll("limits") Limit limit, @ForAll("steps") List<Step> steps) {
    Limited limited = new Limited("rule", limit);
    for (Step step : steps) {
      limited.clock.advanceNanos(step.nanos);
      long cost = cost(limit, step);
      Outcome outcome = limited.take(cost);
      Decision decision = outcome.decision();
      Map<String, String> headers = headers(outcome);
      if (decision.allowed() || decision.neverAllowed()) {
        assertThat(headers).doesNotContainKey("Retry-After");
        continue;
      }
      long retryAfter = number(headers, "Retry-After");
      long reset = number(headers, "RateLimit-Reset");
      long min = Math.max(1, reset);
      assertThat(Duration.ofSeconds(reset)).isGreaterThanOrEqualTo(decision.retryAfter());
      assertThat(Duration.ofSeconds(reset - 1)).isLessThan(decision.retryAfter());
      assertThat(retryAfter).isBetween(min, min + Math.min(min / 2, 30));
      limited.clock.advance(Duration.ofSeconds(retryAfter));
      assertThat(limited.take(cost).decision().allowed()).isTrue();
    }
  }

  @Property(tries = 500)
  void reset_never_isTheTimeUntilFull(
      @ForAll("limits") Limit limit, @ForAll("steps") List<Step> steps) {
    Limited limited = new Limited("rule", limit);
    for (Step step : steps) {
      limited.clock.advanceNanos(step.nanos);
      limited.take(cost(limit, step));
    }
    Outcome outcome = limited.take((limit.burstThousandths() / 1_000 + 1) * 1_000);
    boolean full = outcome.decision().resetAfter().isZero();
    long reset = full ? 0 : number(headers(outcome), "RateLimit-Reset");

    assertThat(headers(outcome).containsKey("RateLimit-Reset")).isEqualTo(!full);
    assertThat(outcome.decision().neverAllowed()).isTrue();
    assertThat(headers(outcome)).containsEntry("X-Penstock-Reason", "cost_above_burst");
    limited.clock.advance(Duration.ofSeconds(reset));
    assertThat(limited.take(0).decision().remainingThousandths())
        .isEqualTo(limit.burstThousandths());
  }

  @Property(tries = 500)
  void draftFields_anyRules_readBackAsTheyWere(
      @ForAll("rules") @Size(min = 1, max = 5) List<Limited> rules,
      @ForAll @Size(5) List<Boolean> shadows) {
    List<Outcome> outcomes = new ArrayList<>();
    for (int i = 0; i < rules.size(); i++) {
      Outcome outcome = rules.get(i).take(1_000);
      outcomes.add(shadows.get(i) ? Limited.shadow(outcome) : outcome);
    }
    List<Outcome> enforcing =
        outcomes.stream().filter(outcome -> outcome.mode() == Mode.ENFORCE).toList();
    Map<String, String> headers = headers(outcomes.toArray(Outcome[]::new));
    if (enforcing.isEmpty()) {
      assertThat(headers).isEmpty();
      return;
    }
    List<StructuredFields.Item> current = StructuredFields.parse(headers.get("RateLimit"));
    List<StructuredFields.Item> policies = StructuredFields.parse(headers.get("RateLimit-Policy"));

    assertThat(current).hasSameSizeAs(enforcing);
    assertThat(policies).hasSameSizeAs(enforcing);
    for (int i = 0; i < enforcing.size(); i++) {
      Decision decision = enforcing.get(i).decision();
      Limit limit = decision.limit();
      assertThat(current.get(i).name()).isEqualTo(enforcing.get(i).rule().name());
      boolean hopeless = decision.neverAllowed() && decision.resetAfter().isZero();
      assertThat(current.get(i).parameters().keySet())
          .isEqualTo(hopeless ? Set.of("r") : Set.of("r", "t"));
      assertThat(current.get(i).parameters())
          .containsEntry("r", decision.remainingThousandths() / 1_000);
      assertThat(policies.get(i).name()).isEqualTo(enforcing.get(i).rule().name());
      assertThat(policies.get(i).parameters()).containsOnlyKeys("q", "w");
      assertThat(policies.get(i).parameters()).containsEntry("q", limit.burstThousandths() / 1_000);
      long window = policies.get(i).parameters().get("w");
      assertThat(Duration.ofSeconds(window)).isGreaterThanOrEqualTo(limit.window());
      assertThat(Duration.ofSeconds(window - 1)).isLessThan(limit.window());
    }
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Long> nanos =
        Arbitraries.oneOf(
            Arbitraries.longs().between(0, 3_000_000_000L),
            Arbitraries.longs().between(0, 100).map(seconds -> seconds * 1_000_000_000L));
    return Combinators.combine(nanos, Arbitraries.doubles().between(0, 1.1))
        .as(Step::new)
        .list()
        .ofMaxSize(8);
  }

  @Provide
  Arbitrary<TokenBucket> exactBuckets() {
    return buckets(Arbitraries.integers().between(1, 100_000).map(BigDecimal::valueOf));
  }

  /** Includes rates with so many digits that they need more than 64 bits. */
  @Provide
  Arbitrary<TokenBucket> buckets() {
    return buckets(
        Arbitraries.bigDecimals()
            .between(new BigDecimal("0.5"), new BigDecimal(100_000))
            .ofScale(15));
  }

  private static Arbitrary<TokenBucket> buckets(Arbitrary<BigDecimal> tokens) {
    Arbitrary<Duration> periods =
        Arbitraries.of(
            Duration.ofSeconds(1),
            Duration.ofMillis(700),
            Duration.ofMinutes(1),
            Duration.ofHours(1),
            Duration.ofDays(1));
    Arbitrary<Long> bursts =
        Arbitraries.oneOf(
            Arbitraries.longs().between(1, 3_000),
            Arbitraries.longs().between(1, 1_000).map(burst -> burst * 1_000));
    return Combinators.combine(tokens, periods, bursts)
        .as((rate, period, burst) -> new TokenBucket(Rate.of(rate, period), burst));
  }

  @Provide
  Arbitrary<Limit> limits() {
    Arbitrary<Integer> maxRequests = Arbitraries.integers().between(1, 100);
    Arbitrary<Duration> windows =
        Arbitraries.longs().between(1, 100_000_000).map(micros -> Duration.ofNanos(micros * 1_000));
    return Arbitraries.oneOf(
        exactBuckets().map(bucket -> (Limit) bucket),
        Combinators.combine(maxRequests, windows).as(Limit::fixedWindow),
        Combinators.combine(maxRequests, windows).as(Limit::slidingWindow),
        Combinators.combine(maxRequests, windows).as(Limit::slidingLog));
  }

  @Provide
  Arbitrary<List<Limited>> rules() {
    Arbitrary<String> names =
        Arbitraries.strings().withCharRange(' ', '~').ofMinLength(1).ofMaxLength(20);
    return Combinators.combine(names, limits()).as(Limited::new).list();
  }
}
