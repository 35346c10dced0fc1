package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.penstock.inprocess.InProcessStore;
import io.penstock.testing.FixedLimiters;
import io.penstock.testing.ManualClock;
import java.math.BigInteger;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Invalid arguments are rejected with their name, value and rule, and have no effect. */
class BadInputTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final double NAN = Double.NaN;
  private static final double INFINITY = Double.POSITIVE_INFINITY;
  private static final String LONG = "k".repeat(1_025);

  private final ManualClock clock = new ManualClock();
  private final InProcessStore store = InProcessStore.builder().clock(clock).build();
  private final RateLimiter limiter = RateLimiter.on(store, "user", Limit.perSecond(1).burst(10));

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void limit_badArgument_isRejected(String message, ThrowingCallable call) {
    assertThatIllegalArgumentException().isThrownBy(call).withMessage(message);
  }

  static Stream<Arguments> limit_badArgument_isRejected() {
    TokenBucket slow = Limit.perDay(1);
    return Stream.of(
        bad("rate must be positive and finite: 0.0", () -> Limit.perSecond(0)),
        bad("rate must be positive and finite: -1.0", () -> Limit.perMinute(-1)),
        bad("rate must be positive and finite: NaN", () -> Limit.perHour(NAN)),
        bad("rate must be positive and finite: Infinity", () -> Limit.perDay(INFINITY)),
        bad("rate must be positive and finite: -Infinity", () -> Limit.perSecond(-INFINITY)),
        bad("period must be positive: PT0S", () -> Limit.per(1, Duration.ZERO)),
        bad("period must be positive: PT-1S", () -> Limit.per(1, SECOND.negated())),
        bad("burst must be positive and finite: 0.0", () -> slow.burst(0)),
        bad("burst must be positive and finite: -3.0", () -> slow.burst(-3)),
        bad("burst must be positive and finite: NaN", () -> slow.burst(NAN)),
        bad("burst must be positive and finite: Infinity", () -> slow.burst(INFINITY)),
        bad("burst must be a whole number of thousandths: 0.0015", () -> slow.burst(0.0015)),
        bad("burst must be at most 1000000000: 1.000000001E9", () -> slow.burst(1_000_000_001)),
        bad("limit must be positive and finite: 0.0", () -> Limit.fixedWindow(0, SECOND)),
        bad("limit must be positive and finite: -1.0", () -> Limit.slidingWindow(-1, SECOND)),
        bad("limit must be positive and finite: NaN", () -> Limit.slidingLog(NAN, SECOND)),
        bad("limit must be at most 1000000000: 1.0E10", () -> Limit.fixedWindow(1e10, SECOND)),
        bad(
            "limit must be from 0.001 to 100000: 100001.0",
            () -> Limit.slidingLog(1e5 + 1, SECOND)),
        bad("limit of a sliding log must be whole: 1.5", () -> Limit.slidingLog(1.5, SECOND)),
        bad(
            "window must be positive and at most 10 years: PT0S",
            () -> Limit.fixedWindow(1, Duration.ZERO)),
        bad(
            "window must be positive and at most 10 years: PT-1S",
            () -> Limit.slidingWindow(1, SECOND.negated())),
        bad(
            "window must be positive and at most 10 years: PT87696H",
            () -> Limit.slidingLog(1, Duration.ofDays(3654))),
        bad("burst must be from 0.001 to 1000000000: 0.0", () -> new TokenBucket(slow.rate(), 0)),
        bad("rate must be positive: 0/1", () -> new Rate(BigInteger.ZERO, BigInteger.ONE)));
  }

  @ParameterizedTest
  @MethodSource
  void limit_outOfRange_isRejected(String rule, ThrowingCallable call) {
    assertThatIllegalArgumentException().isThrownBy(call).withMessageStartingWith(rule);
  }

  static Stream<Arguments> limit_outOfRange_isRejected() {
    String years = "burst / rate must be at most 10 years: ";
    String most = "rate must be at most 1000000000 tokens a second: ";
    return Stream.of(
        bad(years + "3654.0 at ", () -> Limit.perDay(1).burst(3_654)),
        bad(years + "1.0 at ", () -> Limit.perDay(Double.MIN_VALUE)),
        bad(years + "1.0 at ", () -> Limit.per(1, Duration.ofSeconds(Long.MAX_VALUE))),
        bad(most, () -> Limit.perSecond(1_000_000_001)),
        bad(most, () -> Limit.per(2, Duration.ofNanos(1))),
        bad(most, () -> Limit.perSecond(Double.MAX_VALUE)));
  }

  @Test
  void limit_atTheBoundsOfItsRange_isAccepted() {
    assertThat(Limit.perDay(1).burst(3_653).window()).isEqualTo(Duration.ofDays(3_653));
    assertThat(Limit.perSecond(1_000_000_000).burst()).isEqualTo(1e9);
    assertThat(Limit.perSecond(1).burst(0.001).burst()).isEqualTo(0.001);
    assertThat(Limit.slidingLog(100_000, SECOND).burst()).isEqualTo(100_000);
    assertThat(Limit.fixedWindow(1e9, Duration.ofDays(3_653)).burst()).isEqualTo(1e9);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void limiter_badArgument_isRejectedAndNothingChanges(String message, Consumer<RateLimiter> call) {
    limiter.take("k", 4);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> call.accept(limiter))
        .withMessage(message);

    assertThat(limiter.peek("k").remaining()).isEqualTo(6);
    assertThat(store.keys()).isEqualTo(1);
  }

  static Stream<Arguments> limiter_badArgument_isRejectedAndNothingChanges() {
    String cost = "cost must be a number from 0 to 1000000000000: ";
    String key = "key must have 1 to 1024 characters: ";
    return Stream.of(
        use(cost + "-1.0", limiter -> limiter.take("k", -1)),
        use(cost + "-1.0E-4", limiter -> limiter.tryAcquire("k", -0.0001)),
        use(cost + "NaN", limiter -> limiter.tryAcquire("k", NAN)),
        use(cost + "Infinity", limiter -> limiter.takeAsync("k", INFINITY)),
        use(cost + "-Infinity", limiter -> limiter.acquireAsync("k", -INFINITY, SECOND).join()),
        use(cost + "1.000000000001E12", limiter -> limiter.take("k", 1e12 + 1)),
        use(cost + "-5.0", limiter -> limiter.charge("k", -5)),
        use(cost + "-5.0", limiter -> limiter.refund("k", -5)),
        use(cost + "NaN", limiter -> limiter.chargeAsync("k", NAN)),
        use(cost + "-1.0", limiter -> limiter.at("k", -1)),
        use(key + "''", limiter -> limiter.tryAcquire("")),
        use(key + "'null'", limiter -> limiter.tryAcquire(null)),
        use(key + "1025 characters", limiter -> limiter.tryAcquire(LONG)),
        use(key + "''", limiter -> limiter.take("")),
        use(key + "1025 characters", limiter -> limiter.takeAsync(LONG)),
        use(key + "'null'", limiter -> limiter.peek(null)),
        use(key + "''", limiter -> limiter.acquireAsync("", 1, SECOND).join()),
        use(key + "''", limiter -> limiter.charge("", 1)),
        use(key + "''", limiter -> limiter.refund("", 1)),
        use(key + "''", limiter -> limiter.reset("")),
        use(key + "1025 characters", limiter -> limiter.at(LONG)),
        use(
            "maxWait must not be negative: PT-1S",
            limiter -> limiter.acquireAsync("k", 1, SECOND.negated()).join()),
        use(
            "maxDelay must not be negative: PT-1S",
            limiter -> limiter.at("k").within(SECOND.negated())),
        use("claims must not be empty: []", limiter -> RateLimiter.all()),
        use(
            "a bucket can be claimed only once: user",
            limiter -> RateLimiter.all(limiter.at("k"), limiter.at("k", 2)).take()),
        use(
            "a bucket can be claimed only once: user",
            limiter ->
                RateLimiter.all(limiter.at("k"), limiter.global().at(), limiter.global().at())
                    .tryAcquire()));
  }

  @Test
  void take_fractionOnASlidingLog_isRejectedAndNothingChanges() {
    RateLimiter log = RateLimiter.on(store, "log", Limit.slidingLog(5, SECOND));
    log.take("k", 2);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> log.take("k", 0.5))
        .withMessage("cost must be a whole number on a sliding log: 0.5");
    assertThat(log.peek("k").remaining()).isEqualTo(3);
  }

  @Test
  void all_claimsOnSeveralStores_isRejected() {
    Claim here = limiter.at("k");
    Claim elsewhere = FixedLimiters.allowAll().at("k");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> RateLimiter.all(here, elsewhere))
        .withMessageStartingWith("claims must be on one store: ");
  }

  @ParameterizedTest
  @MethodSource
  void setup_badArgument_isRejected(String message, ThrowingCallable call) {
    assertThatIllegalArgumentException().isThrownBy(call).withMessageStartingWith(message);
  }

  static Stream<Arguments> setup_badArgument_isRejected() {
    Limit limit = Limit.perSecond(1);
    String name = "name must have 1 to 1024 characters: ";
    String keys = "maxKeys must be from 1 to 1073741824: ";
    return Stream.of(
        bad(name, () -> RateLimiter.inProcess("", limit)),
        bad(name + "null", () -> RateLimiter.inProcess(null, limit)),
        bad(name, () -> RateLimiter.inProcess(LONG, limit)),
        bad(keys + "0", () -> InProcessStore.builder().maxKeys(0)),
        bad(keys + "-1", () -> InProcessStore.builder().maxKeys(-1)),
        bad(keys + Long.MAX_VALUE, () -> InProcessStore.builder().maxKeys(Long.MAX_VALUE)));
  }

  @Test
  void nullArgument_notAKeyOrName_isRejected() {
    Limit limit = Limit.perSecond(1);

    assertThatNullPointerException().isThrownBy(() -> RateLimiter.on(null, "x", limit));
    assertThatNullPointerException().isThrownBy(() -> Limit.per(1, null));
    assertThatNullPointerException().isThrownBy(() -> Limit.fixedWindow(1, null));
    assertThatNullPointerException().isThrownBy(() -> limiter.acquireAsync("k", 1, null));
    assertThatNullPointerException().isThrownBy(() -> limiter.at("k").within(null));
    assertThatNullPointerException().isThrownBy(() -> RateLimiter.all((Claim) null));
    assertThat(limiter.peek("k").remaining()).isEqualTo(10);
  }

  @Test
  void key_longestAllowed_isAccepted() {
    assertThat(limiter.take("k".repeat(1_024)).remaining()).isEqualTo(9);
  }

  private static Arguments bad(String message, ThrowingCallable call) {
    return arguments(message, call);
  }

  private static Arguments use(String message, Consumer<RateLimiter> call) {
    return arguments(message, call);
  }
}
