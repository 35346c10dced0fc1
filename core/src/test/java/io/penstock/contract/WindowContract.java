package io.penstock.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.Reason;
import io.penstock.Store;
import io.penstock.WindowLimit;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Fixed windows, sliding windows and sliding logs. */
interface WindowContract extends StoreUnderTest {
  private void forEachWindow(Consumer<RateLimiter> test) {
    Store store = store();
    Duration window = Duration.ofSeconds(10);
    for (WindowLimit limit :
        List.of(
            Limit.fixedWindow(3, window),
            Limit.slidingWindow(3, window),
            Limit.slidingLog(3, window))) {
      test.accept(RateLimiter.on(store, limit.kind().name(), limit));
    }
  }

  @Test
  default void take_everyWindow_countsAndExpires() {
    forEachWindow(
        limiter -> {
          for (int i = 0; i < 3; i++) {
            assertThat(limiter.tryAcquire("k")).as("%s %s", limiter, i).isTrue();
          }
          Decision denied = limiter.take("k");
          assertThat(denied.allowed()).isFalse();
          assertThat(denied.reason()).contains(limiter.limit().exceeded());
          advance(denied.retryAfter());
          assertThat(limiter.tryAcquire("k")).as("%s after the wait", limiter).isTrue();
          advance(Duration.ofSeconds(20));
          assertThat(limiter.peek("k").remaining()).as("%s", limiter).isEqualTo(3);
        });
  }

  @Test
  default void take_everyWindowATickBeforeTheHint_isDenied() {
    forEachWindow(
        limiter -> {
          limiter.take("k", 3);
          advance(limiter.take("k").retryAfter().minus(tick()));
          assertThat(limiter.tryAcquire("k")).as("%s", limiter).isFalse();
          advance(tick());
          assertThat(limiter.tryAcquire("k")).as("%s", limiter).isTrue();
        });
  }

  @Test
  default void take_everyWindowDenied_costsNothing() {
    forEachWindow(
        limiter -> {
          limiter.take("k", 2);
          for (int i = 0; i < 5; i++) {
            assertThat(limiter.tryAcquire("k", 2)).as("%s", limiter).isFalse();
          }
          assertThat(limiter.take("k").remaining()).as("%s", limiter).isZero();
        });
  }

  @Test
  default void take_everyWindowCostAboveTheLimit_isNever() {
    forEachWindow(
        limiter -> {
          Decision never = limiter.take("k", 4);
          assertThat(never.neverAllowed()).as("%s", limiter).isTrue();
          assertThat(never.reason()).contains(Reason.COST_ABOVE_BURST);
          assertThat(limiter.tryAcquire("k", 3)).as("%s", limiter).isTrue();
        });
  }

  @Test
  default void take_everyWindowSeveralKeys_areIndependent() {
    forEachWindow(
        limiter -> {
          assertThat(limiter.tryAcquire("a", 3)).as("%s", limiter).isTrue();
          assertThat(limiter.tryAcquire("b", 3)).as("%s", limiter).isTrue();
          assertThat(limiter.tryAcquire("a")).as("%s", limiter).isFalse();
        });
  }

  @Test
  default void peek_everyWindow_changesNothing() {
    forEachWindow(
        limiter -> {
          assertThat(limiter.peek("k", 3).remaining()).as("%s", limiter).isZero();
          assertThat(limiter.peek("k").remaining()).as("%s", limiter).isEqualTo(3);
          limiter.take("k", 2);
          assertThat(limiter.peek("k", 2).allowed()).as("%s", limiter).isFalse();
          assertThat(limiter.peek("k").remaining()).as("%s", limiter).isEqualTo(1);
        });
  }

  @Test
  default void reset_everyWindow_startsOver() {
    forEachWindow(
        limiter -> {
          limiter.take("k", 3);
          limiter.reset("k");
          assertThat(limiter.tryAcquire("k", 3)).as("%s", limiter).isTrue();
        });
  }

  @Test
  default void chargeAndRefund_everyWindow_areUnsupported() {
    forEachWindow(
        limiter -> {
          limiter.take("k");
          assertThatExceptionOfType(UnsupportedOperationException.class)
              .isThrownBy(() -> limiter.charge("k", 1))
              .withMessageStartingWith("charge needs a token bucket: limiter " + limiter.name());
          assertThatExceptionOfType(UnsupportedOperationException.class)
              .isThrownBy(() -> limiter.refund("k", 1))
              .withMessageStartingWith("refund needs a token bucket: limiter " + limiter.name());
          assertThat(limiter.peek("k").remaining()).as("%s", limiter).isEqualTo(2);
        });
  }

  @Test
  default void acquire_everyWindow_isUnsupportedWithAWait() {
    forEachWindow(
        limiter -> {
          assertThatExceptionOfType(UnsupportedOperationException.class)
              .isThrownBy(() -> limiter.acquire("k", Duration.ofSeconds(1)))
              .withMessageContaining("needs a token bucket");
          assertThat(limiter.peek("k").remaining()).as("%s", limiter).isEqualTo(3);
        });
  }

  @Test
  default void slidingLog_everyRequest_expiresOnItsOwn() {
    RateLimiter log = RateLimiter.on(store(), "log", Limit.slidingLog(3, Duration.ofSeconds(10)));
    for (int i = 0; i < 3; i++) {
      log.take("k");
      advance(Duration.ofSeconds(2));
    }
    assertThat(log.take("k").retryAfter()).isEqualTo(Duration.ofSeconds(4));
    advance(Duration.ofSeconds(4));
    assertThat(log.tryAcquire("k")).isTrue();
    assertThat(log.take("k").retryAfter()).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  default void slidingLog_fractionalCost_isRejected() {
    RateLimiter log = RateLimiter.on(store(), "log", Limit.slidingLog(5, Duration.ofSeconds(10)));
    log.take("k", 2);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> log.take("k", 0.5))
        .withMessage("cost must be a whole number on a sliding log: 0.5");
    assertThat(log.peek("k").remaining()).isEqualTo(3);
  }
}
