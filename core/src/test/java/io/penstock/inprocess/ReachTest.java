package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * The maximum debt of a bucket after a clock step back: the burst plus the longest delay that was
 * granted.
 */
class ReachTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final ManualClock clock = new ManualClock();
  private final RateLimiter limiter =
      RateLimiter.on(
          InProcessStore.builder().clock(clock).build(), "x", Limit.perSecond(2).burst(1));

  @Test
  void acquireAsync_clockSteppedBack_isBlockedForAWindowAndTheLongestWait() {
    for (int i = 0; i < 3; i++) {
      assertThat(limiter.acquireAsync("k", 1, HOUR)).isNotCancelled();
    }
    assertStandsAt(Duration.ofMillis(1_500));
  }

  @Test
  void all_clockSteppedBack_isBlockedForAWindowAndTheLongestWait() {
    for (int i = 0; i < 3; i++) {
      assertThat(RateLimiter.all(limiter.at("k").within(HOUR)).tryAcquire()).isTrue();
    }
    assertStandsAt(Duration.ofMillis(1_500));
  }

  @Test
  void charge_clockSteppedBack_isBlockedForTwoWindows() {
    limiter.charge("k", 5);
    assertStandsAt(Duration.ofSeconds(1));
  }

  @Test
  void all_clockSteppedBackAndDenied_storesTheClampedState() {
    limiter.take("k");
    clock.advance(HOUR.negated());
    assertThat(RateLimiter.all(limiter.at("k")).take().resetAfter())
        .isEqualTo(Duration.ofMillis(500));
    clock.advance(Duration.ofMillis(200));
    assertThat(limiter.peek("k").resetAfter()).isEqualTo(Duration.ofMillis(300));
  }

  @Test
  void acquireAsync_clockSteppedBackBeforehand_doesNotQueueBehindTheStep() {
    limiter.take("k");
    clock.advance(HOUR.negated());
    Decision decision = RateLimiter.all(limiter.at("k").within(Duration.ofDays(1))).take();
    assertThat(decision.delay()).isEqualTo(Duration.ofMillis(500));
    limiter.reset("k");
    limiter.take("k");
    clock.advance(HOUR.negated());
    assertThat(limiter.acquireAsync("k", 1, Duration.ofDays(1))).isNotDone();
    assertThat(limiter.peek("k").resetAfter()).isLessThanOrEqualTo(Duration.ofMillis(1_500));
  }

  private void assertStandsAt(Duration reset) {
    assertThat(limiter.peek("k").resetAfter()).isEqualTo(reset);
    clock.advance(HOUR.negated());
    assertThat(limiter.take("k").resetAfter()).isEqualTo(reset);
    clock.advance(reset);
    assertThat(limiter.peek("k").resetAfter()).isZero();
  }
}
