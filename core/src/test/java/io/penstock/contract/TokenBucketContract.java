package io.penstock.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.Reason;
import io.penstock.Store;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Taking from token buckets and peeking at them. */
interface TokenBucketContract extends StoreUnderTest {

  @Test
  default void take_burstThenOneMore_isDeniedWithTheWait() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perSecond(5).burst(20));
    for (int left = 19; left >= 0; left--) {
      assertThat(limiter.take("k").remaining()).isEqualTo(left);
    }
    Decision denied = limiter.take("k");
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.reason()).contains(Reason.TOKEN_BUCKET_EXCEEDED);
    assertThat(denied.retryAfter()).isEqualTo(Duration.ofMillis(200));
    assertThat(denied.resetAfter()).isEqualTo(Duration.ofSeconds(4));
    assertThat(limiter.tryAcquire("another")).isTrue();
  }

  @Test
  default void take_atTheHint_isAllowedAndNotATickEarlier() {
    Store store = store();
    for (int rate : new int[] {1, 3, 7, 11, 999}) {
      RateLimiter limiter = RateLimiter.on(store, "r" + rate, Limit.perSecond(rate).burst(2));
      limiter.take("k", 2);
      Duration wait = limiter.take("k", 1.5).retryAfter();
      advance(wait.minus(tick()));
      assertThat(limiter.tryAcquire("k", 1.5)).as("%s/s early", rate).isFalse();
      advance(tick());
      assertThat(limiter.tryAcquire("k", 1.5)).as("%s/s on time", rate).isTrue();
    }
  }

  @Test
  default void take_oneTokenADay_isRefilledAfterExactlyADay() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perDay(1));
    assertThat(limiter.tryAcquire("k")).isTrue();
    advance(Duration.ofDays(1).minus(tick()));
    assertThat(limiter.tryAcquire("k")).isFalse();
    advance(tick());
    assertThat(limiter.tryAcquire("k")).isTrue();
  }

  @Test
  default void take_unusedForLong_isFullAndNotMore() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perSecond(10).burst(5));
    limiter.take("k", 5);
    advance(Duration.ofHours(1));
    assertThat(limiter.peek("k").remaining()).isEqualTo(5);
    assertThat(limiter.tryAcquire("k", 5)).isTrue();
    assertThat(limiter.tryAcquire("k", 0.001)).isFalse();
  }

  @Test
  default void take_costAboveTheBurst_isNever() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perSecond(5).burst(20));
    Decision never = limiter.take("k", 20.001);
    assertThat(never.allowed()).isFalse();
    assertThat(never.neverAllowed()).isTrue();
    assertThat(never.reason()).contains(Reason.COST_ABOVE_BURST);
    assertThat(never.remaining()).isEqualTo(20);
    assertThat(limiter.tryAcquire("k", 20)).isTrue();
  }

  @Test
  default void take_fractionalCosts_addUpExactly() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perDay(1).burst(1));
    for (int i = 0; i < 8; i++) {
      assertThat(limiter.tryAcquire("k", 0.125)).as("request %d", i).isTrue();
    }
    assertThat(limiter.tryAcquire("k", 0.001)).isFalse();
  }

  @Test
  default void take_costFinerThanAThousandth_isRoundedUp() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perDay(1).burst(1));
    assertThat(limiter.take("k", 0.0001).remaining()).isEqualTo(0.999);
  }

  @Test
  default void take_denied_costsNothing() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perDay(1).burst(5));
    limiter.take("k", 3);
    for (int i = 0; i < 10; i++) {
      assertThat(limiter.tryAcquire("k", 3)).isFalse();
    }
    assertThat(limiter.take("k", 2).remaining()).isZero();
  }

  @Test
  default void take_severalKeys_areIndependent() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perDay(1).burst(2));
    for (String key : List.of("a", "b", "c", "d")) {
      assertThat(limiter.tryAcquire(key, 2)).as(key).isTrue();
    }
    assertThat(limiter.tryAcquire("a")).isFalse();
  }

  @Test
  default void takeAsync_anyRequest_returnsWhatTakeDoes() throws Exception {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perSecond(1).burst(1));
    Decision first = limiter.takeAsync("k").toCompletableFuture().get(30, TimeUnit.SECONDS);
    Decision second = limiter.takeAsync("k", 1).toCompletableFuture().get(30, TimeUnit.SECONDS);
    assertThat(List.of(first.allowed(), second.allowed())).containsExactly(true, false);
    assertThat(second.retryAfter()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  default void peek_anyBucket_changesNothing() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perSecond(1).burst(3));
    for (int i = 0; i < 5; i++) {
      assertThat(limiter.peek("k").remaining()).isEqualTo(3);
    }
    limiter.take("k", 2.5);
    assertThat(limiter.peek("k").remaining()).isEqualTo(0.5);
    assertThat(limiter.peek("k").resetAfter()).isEqualTo(Duration.ofMillis(2_500));
  }

  @Test
  default void peek_withACost_returnsWhatTakeWouldAndTakesNothing() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perSecond(1).burst(5));
    for (double cost : new double[] {2, 3, 1, 6}) {
      Decision foreseen = limiter.peek("k", cost);
      assertThat(limiter.peek("k", cost)).usingRecursiveComparison().isEqualTo(foreseen);
      assertThat(limiter.take("k", cost)).usingRecursiveComparison().isEqualTo(foreseen);
    }
  }

  @Test
  default void limiters_ofOneStore_shareBucketsByNameOnly() {
    Store store = store();
    Limit limit = Limit.perSecond(1).burst(1);
    assertThat(RateLimiter.on(store, "a", limit).tryAcquire("k")).isTrue();
    assertThat(RateLimiter.on(store, "b", limit).tryAcquire("k")).isTrue();
    assertThat(RateLimiter.on(store, "a", limit).tryAcquire("k")).isFalse();
  }
}
