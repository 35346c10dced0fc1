package io.penstock.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.GlobalLimiter;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.Store;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Limiters without keys. */
interface GlobalLimiterContract extends StoreUnderTest {
  private GlobalLimiter global() {
    return RateLimiter.on(store(), "global", Limit.perSecond(1).burst(5)).global();
  }

  @Test
  default void global_tryAcquire_takesFromOneBucket() {
    GlobalLimiter global = global();
    for (int i = 0; i < 3; i++) {
      assertThat(global.tryAcquire()).isTrue();
    }
    assertThat(global.tryAcquire(2)).isTrue();
    assertThat(global.tryAcquire()).isFalse();
    advance(Duration.ofSeconds(1));
    assertThat(global.tryAcquire()).isTrue();
  }

  @Test
  default void global_take_returnsTheDetails() {
    GlobalLimiter global = global();
    assertThat(global.take().remaining()).isEqualTo(4);
    assertThat(global.take(4).remaining()).isZero();
    Decision denied = global.take(2);
    assertThat(denied.limiter()).isEqualTo("global");
    assertThat(denied.retryAfter()).isEqualTo(Duration.ofSeconds(2));
    assertThat(global.take(6).neverAllowed()).isTrue();
  }

  @Test
  default void global_takeAsync_returnsWhatTakeDoes() throws Exception {
    GlobalLimiter global = global();
    assertThat(global.takeAsync().toCompletableFuture().get(30, TimeUnit.SECONDS).remaining())
        .isEqualTo(4);
    assertThat(global.takeAsync(4).toCompletableFuture().get(30, TimeUnit.SECONDS).remaining())
        .isZero();
    assertThat(global.takeAsync().toCompletableFuture().get(30, TimeUnit.SECONDS).allowed())
        .isFalse();
  }

  @Test
  default void global_peek_changesNothing() {
    GlobalLimiter global = global();
    assertThat(global.peek(5).remaining()).isZero();
    assertThat(global.peek().remaining()).isEqualTo(5);
    global.take(3);
    assertThat(global.peek(3).allowed()).isFalse();
    assertThat(global.peek().remaining()).isEqualTo(2);
  }

  @Test
  default void global_chargeRefundReset_moveTheLevel() {
    GlobalLimiter global = global();
    global.charge(7);
    assertThat(global.take().retryAfter()).isEqualTo(Duration.ofSeconds(3));
    global.refund(4);
    assertThat(global.peek().remaining()).isEqualTo(2);
    global.reset();
    assertThat(global.peek().remaining()).isEqualTo(5);
  }

  @Test
  default void global_acquire_waitsOrIsDenied() throws Exception {
    GlobalLimiter global = global();
    assertThat(global.acquire(5, Duration.ofSeconds(1)).allowed()).isTrue();
    assertThat(global.acquire(2, Duration.ofSeconds(1)).allowed()).isFalse();
    assertThat(global.acquireAsync(5, Duration.ofSeconds(4)).get(30, TimeUnit.SECONDS).allowed())
        .isFalse();
    assertThat(global.peek().remaining()).isZero();
  }

  @Test
  default void global_besideKeys_isABucketOfItsOwn() {
    RateLimiter limiter = RateLimiter.on(store(), "global", Limit.perDay(1).burst(1));
    assertThat(limiter.tryAcquire("global")).isTrue();
    assertThat(limiter.global().tryAcquire()).isTrue();
    assertThat(limiter.tryAcquire("k")).isTrue();
    assertThat(limiter.global().tryAcquire()).isFalse();
  }

  @Test
  default void global_replaceLimit_keepsWhatIsMissing() {
    GlobalLimiter global = global();
    global.take(4);
    global.limiter().replaceLimit(Limit.perSecond(1).burst(100));
    assertThat(global.peek().remaining()).isEqualTo(96);
  }

  @Test
  default void global_window_countsAllRequests() {
    Store store = store();
    GlobalLimiter global =
        RateLimiter.on(store, "global", Limit.slidingLog(2, Duration.ofSeconds(1))).global();
    assertThat(global.tryAcquire(2)).isTrue();
    assertThat(global.take().retryAfter()).isEqualTo(Duration.ofSeconds(1));
    global.reset();
    assertThat(global.tryAcquire()).isTrue();
  }
}
