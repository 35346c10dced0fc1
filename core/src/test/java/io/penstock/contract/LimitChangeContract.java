package io.penstock.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.Store;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Changes of limits, and several limits under one name. */
interface LimitChangeContract extends StoreUnderTest {

  @Test
  default void replaceLimit_anyWay_keepsWhatIsMissing() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perSecond(10).burst(10));
    limiter.take("k", 4);
    limiter.replaceLimit(Limit.perSecond(100).burst(500));
    assertThat(limiter.peek("k").remaining()).isEqualTo(496);
    limiter.take("k", 496);
    limiter.replaceLimit(Limit.perSecond(1).burst(5));
    assertThat(limiter.peek("k").remaining()).isZero();
    advance(Duration.ofSeconds(500));
    assertThat(limiter.peek("k").remaining()).isEqualTo(5);
  }

  @Test
  default void replaceLimit_missingMoreThanTheNewBurst_isEmptyButNotInDebt() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perSecond(1).burst(100));
    limiter.take("k", 100);
    limiter.replaceLimit(Limit.perSecond(1).burst(5));
    assertThat(limiter.take("k").retryAfter()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  default void replaceLimit_sameLimit_changesNothing() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perDay(1).burst(10));
    limiter.take("k", 7);
    limiter.replaceLimit(Limit.perDay(1).burst(10));
    assertThat(limiter.peek("k").remaining()).isEqualTo(3);
    assertThat(limiter.limit()).isEqualTo(Limit.perDay(1).burst(10));
  }

  @Test
  default void replaceLimit_bucketByWindow_startsOver() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perDay(1).burst(5));
    limiter.take("k", 5);
    limiter.replaceLimit(Limit.fixedWindow(3, Duration.ofDays(1)));
    assertThat(limiter.peek("k").remaining()).isEqualTo(3);
    assertThat(limiter.tryAcquire("k", 3)).isTrue();
  }

  @Test
  default void replaceLimit_window_keepsTheCount() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.slidingLog(5, Duration.ofDays(1)));
    limiter.take("k", 4);
    limiter.replaceLimit(Limit.slidingLog(6, Duration.ofDays(1)));
    assertThat(limiter.peek("k").remaining()).isEqualTo(2);
  }

  @Test
  default void twoLimits_underOneName_countWhatTheOtherGrants() {
    Store store = store();
    RateLimiter tight = RateLimiter.on(store, "c", Limit.perDay(1).burst(5));
    RateLimiter loose = RateLimiter.on(store, "c", Limit.perDay(1).burst(20));
    assertThat(loose.tryAcquire("k", 3)).isTrue();
    assertThat(tight.peek("k").remaining()).isEqualTo(2);
    assertThat(tight.tryAcquire("k", 2)).isTrue();
    assertThat(loose.peek("k").remaining()).isEqualTo(15);
    assertThat(tight.tryAcquire("k")).isFalse();
    assertThat(loose.tryAcquire("k", 15)).isTrue();
  }

  @Test
  default void retire_limiter_keepsWhatWasConsumed() {
    Store store = store();
    RateLimiter old = RateLimiter.on(store, "c", Limit.perDay(1).burst(5));
    old.take("k", 4);
    old.retire();
    assertThat(RateLimiter.on(store, "c", Limit.perDay(1).burst(5)).peek("k").remaining())
        .isEqualTo(1);
  }

  @Test
  default void retire_oneOfTwoLimits_leavesTheOther() {
    Store store = store();
    RateLimiter retired = RateLimiter.on(store, "c", Limit.perDay(1).burst(5));
    RateLimiter active = RateLimiter.on(store, "c", Limit.perDay(1).burst(20));
    retired.take("k", 4);
    retired.retire();
    assertThat(active.tryAcquire("k", 16)).isTrue();
    assertThat(active.tryAcquire("k")).isFalse();
  }
}
