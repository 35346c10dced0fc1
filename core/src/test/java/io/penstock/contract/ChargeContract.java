package io.penstock.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Limit;
import io.penstock.RateLimiter;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Charges, refunds and resets of token buckets. */
interface ChargeContract extends StoreUnderTest {
  private RateLimiter limiter() {
    return RateLimiter.on(store(), "c", Limit.perSecond(1).burst(10));
  }

  @Test
  default void charge_moreThanIsLeft_delaysLaterRequests() {
    RateLimiter limiter = limiter();
    limiter.charge("k", 15);
    assertThat(limiter.peek("k").remaining()).isZero();
    assertThat(limiter.take("k").retryAfter()).isEqualTo(Duration.ofSeconds(6));
    advance(Duration.ofSeconds(6));
    assertThat(limiter.tryAcquire("k")).isTrue();
  }

  @Test
  default void charge_manyBursts_goesDownToOneBurstBelowEmpty() {
    RateLimiter limiter = limiter();
    limiter.charge("k", 1_000);
    assertThat(limiter.take("k").retryAfter()).isEqualTo(Duration.ofSeconds(11));
    limiter.charge("k", 1_000);
    assertThat(limiter.take("k").retryAfter()).isEqualTo(Duration.ofSeconds(11));
  }

  @Test
  default void charge_costOfZero_changesNothing() {
    RateLimiter limiter = limiter();
    limiter.take("k", 4);
    limiter.charge("k", 0);
    assertThat(limiter.peek("k").remaining()).isEqualTo(6);
  }

  @Test
  default void refund_afterATake_putsTokensBack() {
    RateLimiter limiter = limiter();
    limiter.take("k", 10);
    limiter.refund("k", 2.5);
    assertThat(limiter.peek("k").remaining()).isEqualTo(2.5);
    assertThat(limiter.tryAcquire("k", 2.5)).isTrue();
  }

  @Test
  default void refund_moreThanIsMissing_fillsTheBucket() {
    RateLimiter limiter = limiter();
    limiter.charge("k", 1_000);
    limiter.refund("k", 12);
    assertThat(limiter.peek("k").remaining()).isEqualTo(2);
    limiter.refund("k", 1_000);
    assertThat(limiter.peek("k").remaining()).isEqualTo(10);
  }

  @Test
  default void refund_afterADenial_endsTheWait() {
    RateLimiter limiter = limiter();
    limiter.take("k", 10);
    assertThat(limiter.tryAcquire("k")).isFalse();
    limiter.refund("k", 1);
    assertThat(limiter.tryAcquire("k")).isTrue();
  }

  @Test
  default void reset_emptyBucket_isFull() {
    RateLimiter limiter = limiter();
    limiter.charge("k", 20);
    limiter.reset("k");
    assertThat(limiter.tryAcquire("k", 10)).isTrue();
  }

  @Test
  default void reset_oneKey_leavesTheOthers() {
    RateLimiter limiter = limiter();
    limiter.take("a", 7);
    limiter.take("b", 7);
    limiter.reset("a");
    assertThat(limiter.peek("a").remaining()).isEqualTo(10);
    assertThat(limiter.peek("b").remaining()).isEqualTo(3);
  }

  @Test
  default void chargeRefundReset_async_doTheSame() throws Exception {
    RateLimiter limiter = limiter();
    limiter.chargeAsync("k", 8).toCompletableFuture().get(30, TimeUnit.SECONDS);
    assertThat(limiter.peek("k").remaining()).isEqualTo(2);
    limiter.refundAsync("k", 3).toCompletableFuture().get(30, TimeUnit.SECONDS);
    assertThat(limiter.peek("k").remaining()).isEqualTo(5);
    limiter.resetAsync("k").toCompletableFuture().get(30, TimeUnit.SECONDS);
    assertThat(limiter.peek("k").remaining()).isEqualTo(10);
  }
}
