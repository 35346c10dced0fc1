package io.penstock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.RateLimiter;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class FixedLimitersTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final RateLimiter allow = FixedLimiters.allowAll();
  private final RateLimiter deny = FixedLimiters.denyAll(SECOND);

  @Test
  void allowAll_anyKeyCostOrNumber_isAllowed() {
    for (int i = 0; i < 1_000; i++) {
      assertThat(allow.tryAcquire("k", 1_000_000)).isTrue();
    }
    Decision decision = allow.take("k", 1_000_000);

    assertThat(decision.allowed()).isTrue();
    assertThat(decision.limiter()).isEqualTo("allow-all");
    assertThat(decision.retryAfter()).isZero();
  }

  @Test
  void denyAll_anyRequest_isDeniedWithTheHint() {
    assertThat(deny.tryAcquire("k")).isFalse();
    assertThat(deny.global().tryAcquire()).isFalse();
    Decision decision = deny.take("k");

    assertThat(decision.allowed()).isFalse();
    assertThat(decision.limiter()).isEqualTo("deny-all");
    assertThat(decision.retryAfter()).isEqualTo(SECOND);
    assertThat(decision.neverAllowed()).isFalse();
  }

  @Test
  void acquire_eitherLimiter_doesNotWait() throws InterruptedException {
    Duration hour = Duration.ofHours(1);

    assertThat(allow.acquire("k", 1, hour).allowed()).isTrue();
    assertThat(deny.acquire("k", 1, hour).allowed()).isFalse();
    assertThat(allow.acquireAsync("k", 1, hour)).isCompleted();
    assertThat(deny.acquireAsync("k", 1, hour)).isCompleted();
  }

  @Test
  void chargeRefundAndReset_eitherLimiter_changeNothing() {
    allow.charge("k", 1_000_000);
    deny.refund("k", 1_000_000);
    deny.reset("k");

    assertThat(allow.tryAcquire("k")).isTrue();
    assertThat(deny.tryAcquire("k")).isFalse();
  }

  @Test
  void all_bothLimiters_isDenied() {
    Decision decision = RateLimiter.all(allow.at("k"), deny.at("k")).take();

    assertThat(decision.allowed()).isFalse();
    assertThat(decision.limiter()).isEqualTo("deny-all");
    assertThat(decision.results()).extracting(Decision::allowed).containsExactly(true, false);
  }
}
