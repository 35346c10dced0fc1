package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.penstock.inprocess.InProcessStore;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

class DecisionTest {
  private static final Limit TEN = Limit.perSecond(10).burst(10);
  private static final Limit HUNDRED = Limit.perSecond(10).burst(100);

  private final ManualClock clock = new ManualClock();
  private final Store store = InProcessStore.builder().clock(clock).build();
  private final RateLimiter limiter = RateLimiter.on(store, "user", TEN);

  @Test
  void take_allowed_hasTheFiguresAfterwards() {
    Decision decision = limiter.take("k", 2.5);

    assertThat(decision.allowed()).isTrue();
    assertThat(decision.limiter()).isEqualTo("user");
    assertThat(decision.limit()).isEqualTo(TEN);
    assertThat(decision.remaining()).isEqualTo(7.5);
    assertThat(decision.remainingThousandths()).isEqualTo(7_500);
    assertThat(decision.retryAfter()).isZero();
    assertThat(decision.resetAfter()).isEqualTo(Duration.ofMillis(250));
    assertThat(decision.delay()).isZero();
    assertThat(decision.neverAllowed()).isFalse();
    assertThat(decision.degraded()).isFalse();
    assertThat(decision.reason()).isEmpty();
    assertThat(decision.results()).containsExactly(decision);
  }

  @Test
  void take_denied_hasTheRetryHint() {
    limiter.take("k", 9.5);

    Decision decision = limiter.take("k", 2);

    assertThat(decision.allowed()).isFalse();
    assertThat(decision.remaining()).isEqualTo(0.5);
    assertThat(decision.retryAfter()).isEqualTo(Duration.ofMillis(150));
    assertThat(decision.resetAfter()).isEqualTo(Duration.ofMillis(950));
    assertThat(decision.reason()).contains(Reason.TOKEN_BUCKET_EXCEEDED);
    assertThat(decision.neverAllowed()).isFalse();
  }

  @Test
  void take_costAboveBurst_isNever() {
    limiter.take("k", 4);

    Decision decision = limiter.take("k", 10.001);

    assertThat(decision.allowed()).isFalse();
    assertThat(decision.neverAllowed()).isTrue();
    assertThat(decision.retryAfter()).isEqualTo(ChronoUnit.FOREVER.getDuration());
    assertThat(decision.remaining()).isEqualTo(6);
    assertThat(decision.reason()).contains(Reason.COST_ABOVE_BURST);
  }

  @Test
  void take_delayAccepted_hasTheDelay() {
    limiter.take("k", 10);

    Decision decision = RateLimiter.all(limiter.at("k").within(Duration.ofSeconds(1))).take();

    assertThat(decision.allowed()).isTrue();
    assertThat(decision.delay()).isEqualTo(Duration.ofMillis(100));
    assertThat(decision.remaining()).isZero();
    assertThat(decision.resetAfter()).isEqualTo(Duration.ofMillis(1_100));
    assertThat(decision.reason()).isEmpty();
  }

  @Test
  void all_delayedParts_waitForTheLongest() {
    RateLimiter slow = RateLimiter.on(store, "slow", Limit.perSecond(1).burst(1));
    limiter.take("k", 10);
    slow.take("k");
    Duration most = Duration.ofSeconds(5);

    Decision decision =
        RateLimiter.all(limiter.at("k").within(most), slow.at("k").within(most)).take();

    assertThat(decision.allowed()).isTrue();
    assertThat(decision.delay()).isEqualTo(Duration.ofSeconds(1));
    assertThat(decision.results())
        .extracting(Decision::delay)
        .containsExactly(Duration.ofMillis(100), Duration.ofSeconds(1));
  }

  @Test
  void remaining_betweenThousandths_isRoundedDown() {
    RateLimiter third = RateLimiter.on(store, "third", Limit.perSecond(3).burst(1));
    third.take("k");

    clock.advanceNanos(1_000_000_000 / 3 - 1);
    assertThat(third.peek("k").remaining()).isEqualTo(0.999);

    clock.advanceNanos(2);
    assertThat(third.peek("k").remaining()).isEqualTo(1);
  }

  @Test
  void reason_ofEachLimit_isItsName() {
    Duration second = Duration.ofSeconds(1);

    assertThat(Limit.fixedWindow(1, second).exceeded().code()).isEqualTo("fixed_window_exceeded");
    assertThat(Limit.slidingWindow(1, second).exceeded().code())
        .isEqualTo("sliding_window_counter_exceeded");
    assertThat(Limit.slidingLog(1, second).exceeded().code())
        .isEqualTo("sliding_window_log_exceeded");
    assertThat(TEN.exceeded().code()).isEqualTo("token_bucket_exceeded");
  }

  @Test
  void all_severalDenied_isTheLongestWait() {
    Decision shorter = Decision.deny("a", TEN, 0, 0, 5);
    Decision longer = Decision.deny("b", HUNDRED, 50_000, 0, 6);
    Decision passed = Decision.allow("c", TEN, 0, 0, 0);

    Decision decision = Decision.all(passed, shorter, longer);

    assertThat(decision.limiter()).isEqualTo("b");
    assertThat(decision.retryAfter()).isEqualTo(Duration.ofNanos(6));
    assertThat(decision.results()).containsExactly(passed, shorter, longer);
  }

  @Test
  void all_oneNever_isLongerThanAnyWait() {
    Decision never = Decision.denyCostAboveBurst("a", TEN, 10_000, 0);
    Decision longest = Decision.deny("b", TEN, 0, 0, Long.MAX_VALUE);

    assertThat(Decision.all(never, longest).limiter()).isEqualTo("a");
    assertThat(Decision.all(longest, never).neverAllowed()).isTrue();
    assertThat(Decision.all(longest, never).reason()).contains(Reason.COST_ABOVE_BURST);
  }

  @Test
  void all_allAllowed_isTheSmallestShare() {
    Decision moreTokens = Decision.allow("a", HUNDRED, 20_000, 0, 0);
    Decision moreShare = Decision.allow("b", TEN, 3_000, 0, 0);

    Decision decision = Decision.all(moreShare, moreTokens);

    assertThat(decision.allowed()).isTrue();
    assertThat(decision.limiter()).isEqualTo("a");
    assertThat(decision.remaining()).isEqualTo(20);
  }

  @Test
  void all_deniedWithADelayedPart_hasNoDelay() {
    Decision delayed = Decision.allow("a", TEN, 0, 0, 7);
    Decision denied = Decision.deny("b", TEN, 0, 0, 5);

    assertThat(Decision.all(delayed, denied).delay()).isZero();
  }

  @Test
  void all_equalParts_isTheFirst() {
    Decision first = Decision.deny("a", TEN, 0, 0, 5);
    Decision second = Decision.deny("b", TEN, 0, 0, 5);

    assertThat(Decision.all(first, second).limiter()).isEqualTo("a");
  }

  @Test
  void all_noParts_isRejected() {
    assertThatIllegalArgumentException()
        .isThrownBy(Decision::all)
        .withMessage("parts must not be empty: []");
  }

  @Test
  void asDegraded_anyDecision_keepsFiguresAndHasTheReason() {
    Decision plain = Decision.allow("a", TEN, 3_000, 700, 0);

    Decision degraded = plain.asDegraded(Reason.STORE_UNAVAILABLE);

    assertThat(degraded.degraded()).isTrue();
    assertThat(degraded.allowed()).isTrue();
    assertThat(degraded.reason()).contains(Reason.STORE_UNAVAILABLE);
    assertThat(degraded.remaining()).isEqualTo(3);
    assertThat(plain.degraded()).isFalse();
  }

  @Test
  void asDegraded_denial_keepsItsReason() {
    Decision denied = Decision.deny("a", TEN, 0, 0, 5).asDegraded(Reason.STORE_UNAVAILABLE);

    assertThat(denied.degraded()).isTrue();
    assertThat(denied.reason()).contains(Reason.TOKEN_BUCKET_EXCEEDED);
    assertThat(denied.degradation()).contains(Reason.STORE_UNAVAILABLE);
  }

  @Test
  void unavailable_anyLimit_isADegradedDenialWithAWait() {
    Decision denied = Decision.unavailable("a", TEN, 1_000_000_000, Reason.STORE_TIMEOUT);

    assertThat(denied.allowed()).isFalse();
    assertThat(denied.degraded()).isTrue();
    assertThat(denied.reason()).contains(Reason.STORE_TIMEOUT);
    assertThat(denied.degradation()).contains(Reason.STORE_TIMEOUT);
    assertThat(denied.retryAfter()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void all_oneDegraded_isDegraded() {
    Decision plain = Decision.allow("a", TEN, 3_000, 0, 0);
    Decision degraded = Decision.allow("b", TEN, 5_000, 0, 0).asDegraded(Reason.STORE_UNAVAILABLE);

    assertThat(Decision.all(plain, degraded).degraded()).isTrue();
    assertThat(Decision.all(plain, plain).degraded()).isFalse();
  }

  @Test
  void toString_eachOutcome_readsAsASentence() {
    assertThat(Decision.allow("user", TEN, 7_500, 0, 0))
        .hasToString("allowed by user (remaining 7.5)");
    assertThat(Decision.deny("user", TEN, 0, 0, 200_000_000))
        .hasToString("denied by user (remaining 0.0, retry after PT0.2S)");
    assertThat(Decision.denyCostAboveBurst("user", TEN, 0, 0))
        .hasToString("denied by user (remaining 0.0, can never pass)");
    assertThat(Decision.allow("user", TEN, 0, 0, 5_000_000).asDegraded(Reason.STORE_UNAVAILABLE))
        .hasToString(
            "allowed by user (remaining 0.0, delay PT0.005S, degraded by store_unavailable)");
  }
}
