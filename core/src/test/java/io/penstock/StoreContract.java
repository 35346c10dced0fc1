package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The conformance suite that every store has to pass. The test of a store extends this class and
 * supplies a store whose time it can move.
 */
public abstract class StoreContract {
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** Returns a store without buckets. */
  protected abstract Store store();

  /** Moves the time of the store. */
  protected abstract void advance(Duration by);

  /** The resolution of the store's time: hints are rounded up to it. */
  protected abstract Duration tick();

  @Test
  void decide_burstThenOneMore_isDeniedWithTheWait() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perSecond(5).burst(20));
    for (int left = 19; left >= 0; left--) {
      assertThat(limiter.decide("k").remaining()).isEqualTo(left);
    }
    Decision denied = limiter.decide("k");
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.reason()).contains(Reason.TOKEN_BUCKET_EXCEEDED);
    assertThat(denied.retryAfter()).isEqualTo(Duration.ofMillis(200));
    assertThat(denied.resetAfter()).isEqualTo(Duration.ofSeconds(4));
    assertThat(limiter.tryAcquire("another")).isTrue();
  }

  @Test
  void decide_atTheHint_isAllowedAndNotATickEarlier() {
    for (int rate : new int[] {1, 3, 7, 11, 999}) {
      RateLimiter limiter = RateLimiter.on(store(), "r" + rate, Limit.perSecond(rate).burst(2));
      limiter.decide("k", 2);
      Duration wait = limiter.decide("k", 1.5).retryAfter();
      advance(wait.minus(tick()));
      assertThat(limiter.tryAcquire("k", 1.5)).as("%s/s early", rate).isFalse();
      advance(tick());
      assertThat(limiter.tryAcquire("k", 1.5)).as("%s/s on time", rate).isTrue();
    }
  }

  @Test
  void decide_costAboveTheBurst_isNever() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perSecond(5).burst(20));
    Decision never = limiter.decide("k", 20.001);
    assertThat(never.allowed()).isFalse();
    assertThat(never.never()).isTrue();
    assertThat(never.reason()).contains(Reason.COST_ABOVE_BURST);
    assertThat(never.remaining()).isEqualTo(20);
    assertThat(limiter.tryAcquire("k", 20)).isTrue();
  }

  @Test
  void peek_anyBucket_changesNothing() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perSecond(1).burst(3));
    for (int i = 0; i < 5; i++) {
      assertThat(limiter.peek("k").remaining()).isEqualTo(3);
    }
    limiter.decide("k", 2.5);
    assertThat(limiter.peek("k").remaining()).isEqualTo(0.5);
    assertThat(limiter.peek("k").resetAfter()).isEqualTo(Duration.ofMillis(2_500));
  }

  @Test
  void chargeRefundReset_moveTheLevelWithinItsBounds() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perSecond(1).burst(10));
    limiter.charge("k", 15);
    assertThat(limiter.decide("k").retryAfter()).isEqualTo(Duration.ofSeconds(6));
    limiter.charge("k", 1_000);
    assertThat(limiter.decide("k").retryAfter()).as("one burst").isEqualTo(Duration.ofSeconds(11));
    limiter.refund("k", 12);
    assertThat(limiter.peek("k").remaining()).isEqualTo(2);
    limiter.refund("k", 1_000);
    assertThat(limiter.peek("k").remaining()).isEqualTo(10);
    limiter.decide("k", 10);
    limiter.reset("k");
    assertThat(limiter.tryAcquire("k", 10)).isTrue();
  }

  @Test
  void all_oneDenies_takesNothingAndNamesIt() {
    Store store = store();
    RateLimiter user = RateLimiter.on(store, "user", Limit.perSecond(10).burst(50));
    RateLimiter global = RateLimiter.on(store, "global", Limit.perSecond(1).burst(1));
    assertThat(RateLimiter.all(user.at("k"), global.at()).tryAcquire()).isTrue();
    Decision denied = RateLimiter.all(user.at("k"), global.at()).decide();
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.limiter()).isEqualTo("global");
    assertThat(denied.retryAfter()).isEqualTo(SECOND);
    assertThat(denied.results()).extracting(Decision::allowed).containsExactly(true, false);
    assertThat(remaining(user, "k", 49)).isEqualTo(49);
  }

  /**
   * Checks what is left of a bucket after a denied request. A store may take a moment to give
   * tokens back, so an implementation may wait here until the expected amount is left.
   */
  protected double remaining(RateLimiter limiter, String key, double expected) {
    return limiter.peek(key).remaining();
  }

  @Test
  void all_withADelay_isDelayedOrDeniedImmediately() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perSecond(2).burst(1));
    JointRequest claims = RateLimiter.all(limiter.at("k").within(SECOND));
    assertThat(claims.decide().delay()).isZero();
    assertThat(claims.decide().delay()).isEqualTo(Duration.ofMillis(500));
    assertThat(claims.decide().delay()).isEqualTo(SECOND);
    Decision denied = claims.decide();
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.retryAfter()).isEqualTo(Duration.ofMillis(500));
  }

  @Test
  void preview_anyLimits_returnsWhatDecideWouldAndTakesNothing() throws Exception {
    Store store = store();
    RateLimiter bucket = RateLimiter.on(store, "b", Limit.perSecond(2).burst(5));
    RateLimiter fixed = RateLimiter.on(store, "f", Limit.fixedWindow(9, SECOND.multipliedBy(10)));
    RateLimiter counter = RateLimiter.on(store, "c", Limit.slidingWindow(9, SECOND));
    RateLimiter log = RateLimiter.on(store, "l", Limit.slidingLog(9, SECOND));
    JointRequest claims =
        RateLimiter.all(bucket.at("k", 2), fixed.at("k", 2), counter.at("k", 2), log.at("k", 2));
    for (int i = 0; i < 4; i++) {
      Decision foreseen = claims.preview().toCompletableFuture().get(10, TimeUnit.SECONDS);
      Decision again = claims.preview().toCompletableFuture().get(10, TimeUnit.SECONDS);
      Decision decided = claims.decide();
      assertThat(foreseen.allowed()).as("request %d", i).isEqualTo(i < 2);
      for (Decision other : List.of(again, decided)) {
        assertThat(other.results())
            .usingRecursiveFieldByFieldElementComparator()
            .containsExactlyElementsOf(foreseen.results());
      }
    }
  }

  @Test
  void replaceLimit_anyWay_keepsWhatIsMissing() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perSecond(10).burst(10));
    limiter.decide("k", 4);
    limiter.replaceLimit(Limit.perSecond(100).burst(500));
    assertThat(limiter.peek("k").remaining()).isEqualTo(496);
    limiter.decide("k", 496);
    limiter.replaceLimit(Limit.perSecond(1).burst(5));
    assertThat(limiter.peek("k").remaining()).isZero();
    advance(Duration.ofSeconds(500));
    assertThat(limiter.peek("k").remaining()).isEqualTo(5);
  }

  @Test
  void decide_everyWindow_countsAndExpires() {
    Store store = store();
    for (WindowLimit limit :
        List.of(
            Limit.fixedWindow(3, SECOND),
            Limit.slidingWindow(3, SECOND),
            Limit.slidingLog(3, SECOND))) {
      RateLimiter limiter = RateLimiter.on(store, limit.kind().name(), limit);
      for (int i = 0; i < 3; i++) {
        assertThat(limiter.tryAcquire("k")).as("%s %s", limit, i).isTrue();
      }
      Decision denied = limiter.decide("k");
      assertThat(denied.allowed()).isFalse();
      assertThat(denied.reason()).contains(limit.exceeded());
      advance(denied.retryAfter());
      assertThat(limiter.tryAcquire("k")).as("%s after the wait", limit).isTrue();
      advance(Duration.ofSeconds(2));
      assertThat(limiter.peek("k").remaining()).as("%s", limit).isEqualTo(3);
    }
  }

  @Test
  void limiters_ofOneStore_shareBucketsByNameOnly() {
    Store store = store();
    Limit limit = Limit.perSecond(1).burst(1);
    assertThat(RateLimiter.on(store, "a", limit).tryAcquire("k")).isTrue();
    assertThat(RateLimiter.on(store, "b", limit).tryAcquire("k")).isTrue();
    assertThat(RateLimiter.on(store, "a", limit).tryAcquire("k")).isFalse();
  }

  @Test
  void decideAsync_anyRequest_returnsWhatDecideDoes() throws Exception {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perSecond(1).burst(1));
    Decision first = limiter.decideAsync("k").toCompletableFuture().get(5, TimeUnit.SECONDS);
    Decision second = limiter.decideAsync("k", 1).toCompletableFuture().get(5, TimeUnit.SECONDS);
    assertThat(List.of(first.allowed(), second.allowed())).containsExactly(true, false);
  }
}
