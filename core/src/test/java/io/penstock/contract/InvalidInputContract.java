package io.penstock.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.Store;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Invalid arguments are rejected and change nothing; unusual ones are accepted. */
interface InvalidInputContract extends StoreUnderTest {
  /** Keys with the maximum length, with other scripts, and with characters that need escaping. */
  List<String> UNUSUAL_KEYS =
      List.of("k".repeat(1_024), "\u00fcber ☃ \ud83d\ude00", "a:b%c\n\t\u0000");

  @Test
  default void key_invalid_isRejected() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perDay(1).burst(10));
    for (String key : Arrays.asList(null, "", "k".repeat(1_025))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> limiter.take(key))
          .withMessageStartingWith("key must have 1 to 1024 characters: ");
      assertThatIllegalArgumentException().isThrownBy(() -> limiter.charge(key, 1));
      assertThatIllegalArgumentException().isThrownBy(() -> limiter.refund(key, 1));
      assertThatIllegalArgumentException().isThrownBy(() -> limiter.reset(key));
    }
    assertThat(limiter.global().peek().remaining()).isEqualTo(10);
  }

  @Test
  default void key_unusual_hasItsOwnBucket() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perDay(1).burst(1));
    for (String key : UNUSUAL_KEYS) {
      assertThat(limiter.tryAcquire(key)).as(key).isTrue();
      assertThat(limiter.tryAcquire(key)).as(key).isFalse();
    }
  }

  @Test
  default void name_unusual_hasItsOwnBuckets() {
    Store store = store();
    for (String name : List.of("a:b", "a", "{a}", "a%3ab", "\u00fc ☃")) {
      RateLimiter limiter = RateLimiter.on(store, name, Limit.perDay(1).burst(1));
      assertThat(limiter.tryAcquire("k")).as(name).isTrue();
      assertThat(limiter.tryAcquire("k")).as(name).isFalse();
    }
  }

  @Test
  default void cost_invalid_isRejected() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perDay(1).burst(10));
    limiter.take("k", 4);
    for (double cost : new double[] {-1, -0.0001, Double.NaN, Double.POSITIVE_INFINITY, 2e12}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> limiter.take("k", cost))
          .withMessage("cost must be a number from 0 to 1000000000000: " + cost);
      assertThatIllegalArgumentException().isThrownBy(() -> limiter.charge("k", cost));
      assertThatIllegalArgumentException().isThrownBy(() -> limiter.refund("k", cost));
      assertThatIllegalArgumentException().isThrownBy(() -> limiter.peek("k", cost));
    }
    assertThat(limiter.peek("k").remaining()).isEqualTo(6);
  }

  @Test
  default void cost_max_isNeverAllowed() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perSecond(1_000_000).burst(1e9));
    assertThat(limiter.take("k", 1e12).neverAllowed()).isTrue();
    assertThat(limiter.tryAcquire("k", 1e9)).isTrue();
  }

  @Test
  default void maxWait_negative_isRejected() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perDay(1).burst(10));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> limiter.acquire("k", Duration.ofSeconds(-1)))
        .withMessage("maxWait must not be negative: PT-1S");
    assertThat(limiter.peek("k").remaining()).isEqualTo(10);
  }
}
