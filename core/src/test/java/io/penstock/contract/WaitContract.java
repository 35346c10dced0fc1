package io.penstock.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.JointRequest;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Requests that may wait for tokens. */
interface WaitContract extends StoreUnderTest {

  @Test
  default void all_withADelay_isDelayedOrDeniedImmediately() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perSecond(2).burst(1));
    JointRequest claims = RateLimiter.all(limiter.at("k").within(Duration.ofSeconds(1)));
    assertThat(claims.take().delay()).isZero();
    assertThat(claims.take().delay()).isEqualTo(Duration.ofMillis(500));
    assertThat(claims.take().delay()).isEqualTo(Duration.ofSeconds(1));
    Decision denied = claims.take();
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.retryAfter()).isEqualTo(Duration.ofMillis(500));
  }

  @Test
  default void acquire_tokensAvailable_returnsWithoutADelay() throws Exception {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perDay(1).burst(5));
    assertThat(limiter.acquire("k", Duration.ofDays(1)).delay()).isZero();
    assertThat(limiter.acquire("k", 4, Duration.ofDays(1)).remaining()).isZero();
  }

  @Test
  default void acquire_longerThanMaxWait_isDeniedAndTakesNothing() throws Exception {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perDay(1).burst(5));
    limiter.take("k", 4);
    Decision denied = limiter.acquire("k", 3, Duration.ofHours(1));
    assertThat(denied.allowed()).isFalse();
    assertThat(limiter.peek("k").remaining()).isEqualTo(1);
  }

  @Test
  default void acquireAsync_cancelled_givesItsTokensBack() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perDay(1).burst(2));
    limiter.take("k", 2);
    CompletableFuture<Decision> waiting = limiter.acquireAsync("k", 2, Duration.ofDays(3));
    assertThat(limiter.take("k").retryAfter()).isEqualTo(Duration.ofDays(3));
    assertThat(waiting.cancel(false)).isTrue();
    advance(Duration.ofDays(1));
    assertThat(remaining(limiter, "k", 1)).isEqualTo(1);
  }
}
