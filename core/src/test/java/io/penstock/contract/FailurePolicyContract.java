package io.penstock.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.penstock.Consistency;
import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.Reason;
import io.penstock.Store;
import io.penstock.StoreException;
import io.penstock.StoreOptions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Decisions while the store is unavailable, for stores that can become unavailable. */
public interface FailurePolicyContract {
  /** Returns a store that is unavailable, for one node. The test closes it. */
  Store unavailableStore();

  private static RateLimiter limiter(Store store, FailurePolicy policy) {
    StoreOptions options = new StoreOptions(policy, Consistency.EXACT);
    return RateLimiter.on(store, policy.name(), Limit.perDay(1).burst(2), options);
  }

  @Test
  default void unavailable_open_allowsEverything() {
    try (Store store = unavailableStore()) {
      RateLimiter limiter = limiter(store, FailurePolicy.OPEN);
      for (int i = 0; i < 5; i++) {
        Decision decision = limiter.take("k");
        assertThat(decision.allowed()).isTrue();
        assertThat(decision.degraded()).isTrue();
        assertThat(decision.reason()).contains(Reason.STORE_UNAVAILABLE);
      }
      assertThat(limiter.tryAcquire("k")).isTrue();
    }
  }

  @Test
  default void unavailable_closed_deniesWithAWait() {
    try (Store store = unavailableStore()) {
      RateLimiter limiter = limiter(store, FailurePolicy.CLOSED);
      Decision decision = limiter.take("k");
      assertThat(decision.allowed()).isFalse();
      assertThat(decision.degraded()).isTrue();
      assertThat(decision.reason()).contains(Reason.STORE_UNAVAILABLE);
      assertThat(decision.neverAllowed()).isFalse();
      assertThat(decision.retryAfter()).isPositive();
      assertThat(limiter.tryAcquire("k")).isFalse();
    }
  }

  @Test
  default void unavailable_local_limitsInProcess() {
    try (Store store = unavailableStore()) {
      RateLimiter limiter = limiter(store, FailurePolicy.LOCAL);
      assertThat(limiter.take("k").degraded()).isTrue();
      assertThat(limiter.tryAcquire("k")).isTrue();
      Decision denied = limiter.take("k");
      assertThat(denied.allowed()).isFalse();
      assertThat(denied.degraded()).isTrue();
      assertThat(limiter.global().tryAcquire(2)).isTrue();
      assertThat(limiter.global().tryAcquire()).isFalse();
    }
  }

  @Test
  default void unavailable_async_returnsWhatTakeDoes() throws Exception {
    try (Store store = unavailableStore()) {
      for (FailurePolicy policy : FailurePolicy.values()) {
        Decision decision =
            limiter(store, policy).takeAsync("k").toCompletableFuture().get(30, TimeUnit.SECONDS);
        assertThat(decision.degraded()).as("%s", policy).isTrue();
        assertThat(decision.allowed()).isEqualTo(policy != FailurePolicy.CLOSED);
      }
    }
  }

  @Test
  default void unavailable_jointRequest_isDeniedIfOneLimitIsClosed() {
    try (Store store = unavailableStore()) {
      RateLimiter open = limiter(store, FailurePolicy.OPEN);
      RateLimiter closed = limiter(store, FailurePolicy.CLOSED);
      Decision denied = RateLimiter.all(open.at("k"), closed.at("k")).take();
      assertThat(denied.allowed()).isFalse();
      assertThat(denied.degraded()).isTrue();
      assertThat(denied.limiter()).isEqualTo("CLOSED");
    }
  }

  @Test
  default void unavailable_peek_isDegradedAndTakesNothing() {
    try (Store store = unavailableStore()) {
      RateLimiter limiter = limiter(store, FailurePolicy.LOCAL);
      assertThat(limiter.peek("k", 2).degraded()).isTrue();
      assertThat(limiter.peek("k").remaining()).isEqualTo(2);
      assertThat(limiter.tryAcquire("k", 2)).isTrue();
    }
  }

  @Test
  default void unavailable_chargeRefundReset_fail() {
    try (Store store = unavailableStore()) {
      RateLimiter limiter = limiter(store, FailurePolicy.OPEN);
      assertThatExceptionOfType(StoreException.class).isThrownBy(() -> limiter.charge("k", 1));
      assertThatExceptionOfType(StoreException.class).isThrownBy(() -> limiter.refund("k", 1));
      assertThatExceptionOfType(StoreException.class).isThrownBy(() -> limiter.reset("k"));
    }
  }
}
