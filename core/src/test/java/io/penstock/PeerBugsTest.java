package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.inprocess.InProcessStore;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Regression tests for bugs that other rate limiters had. */
class PeerBugsTest {
  private final ManualClock clock = new ManualClock();
  private final Store store = InProcessStore.builder().clock(clock).build();

  private RateLimiter limiter(String name, Limit limit) {
    return RateLimiter.on(store, name, limit);
  }

  private static int drain(RateLimiter limiter) {
    int taken = 0;
    while (limiter.tryAcquire("k")) {
      taken++;
    }
    return taken;
  }

  /**
   * Bucket4j truncates nanoseconds: at 97 % of these rates, a retry after the hint was too early.
   */
  @Test
  void retryAfter_everyIntegerRate_isExactToTheNanosecond() {
    for (int rate = 1; rate <= 1_000; rate++) {
      RateLimiter limiter = limiter("rate " + rate, Limit.perSecond(rate));
      assertThat(drain(limiter)).isEqualTo(rate);

      long wait = limiter.take("k").retryAfter().toNanos();

      clock.advanceNanos(wait - 1);
      assertThat(limiter.tryAcquire("k")).as("early at %d/s", rate).isFalse();
      clock.advanceNanos(1);
      assertThat(limiter.tryAcquire("k")).as("on time at %d/s", rate).isTrue();
    }
  }

  /**
   * Bucket4j keeps the latest time it has seen, and refills nothing until the clock reaches it
   * again.
   */
  @Test
  void tryAcquire_clockAheadAndBack_isNotFrozen() {
    RateLimiter limiter = limiter("jump", Limit.perSecond(10).burst(10));
    drain(limiter);
    clock.advance(Duration.ofDays(1));
    assertThat(drain(limiter)).isEqualTo(10);

    clock.advance(Duration.ofDays(-1));

    Decision denied = limiter.take("k");
    assertThat(denied.retryAfter()).isEqualTo(Duration.ofMillis(100));
    clock.advance(Duration.ofMillis(100));
    assertThat(drain(limiter)).isEqualTo(1);
    clock.advance(Duration.ofSeconds(1));
    assertThat(drain(limiter)).isEqualTo(10);
  }

  /** Fairvisor rounds the state at each poll, so a slow bucket never gains a token. */
  @Test
  void tryAcquire_slowBucketPolledAllTheTime_refillsOnTime() {
    RateLimiter limiter = limiter("slow", Limit.perSecond(0.0001).burst(1));
    long refill = Duration.ofSeconds(10_000).toNanos();
    long step = 99_999_989;
    drain(limiter);

    for (long now = step; now < refill; now += step) {
      clock.set(now);
      assertThat(limiter.tryAcquire("k")).isFalse();
    }

    clock.set(refill - 1);
    assertThat(limiter.tryAcquire("k")).isFalse();
    clock.set(refill);
    assertThat(limiter.tryAcquire("k")).isTrue();
  }

  @Test
  void peek_slowBucketPolledAllTheTime_refillsOnTime() {
    RateLimiter limiter = limiter("slow", Limit.perSecond(0.0001).burst(1));
    drain(limiter);

    for (int second = 1; second < 10_000; second++) {
      clock.advance(Duration.ofSeconds(1));
      assertThat(limiter.peek("k").remainingThousandths()).isEqualTo(second / 10);
    }
  }

  /** Failsafe granted 195 permits instead of 10 after a deficit. */
  @Test
  void charge_belowEmpty_refillsAtTheRate() {
    RateLimiter limiter = limiter("deficit", Limit.perSecond(10).burst(10));
    drain(limiter);
    limiter.charge("k", 7);

    clock.advanceNanos(799_999_999);
    assertThat(drain(limiter)).isZero();
    clock.advanceNanos(1);
    assertThat(drain(limiter)).isEqualTo(1);
    clock.advance(Duration.ofSeconds(100));
    assertThat(drain(limiter)).isEqualTo(10);
  }

  @Test
  void charge_farBelowEmpty_stopsAtOneBurst() {
    RateLimiter limiter = limiter("deficit", Limit.perSecond(10).burst(10));
    limiter.charge("k", 1_000_000);
    limiter.charge("k", 1_000_000);

    clock.advance(Duration.ofSeconds(1));
    assertThat(drain(limiter)).isZero();
    clock.advance(Duration.ofMillis(500));
    assertThat(drain(limiter)).isEqualTo(5);
  }

  /** A release in Redisson added permits to a limiter that lacked none; 4.7.0 stops at the rate. */
  @Test
  void refund_fullOrAgain_neverGrantsMoreThanTheBurst() {
    RateLimiter limiter = limiter("refund", Limit.perSecond(10).burst(10));
    limiter.refund("k", 5);
    assertThat(drain(limiter)).isEqualTo(10);

    limiter.refund("k", 4);
    assertThat(limiter.peek("k").remaining()).isEqualTo(4);
    for (int i = 0; i < 100; i++) {
      limiter.refund("k", 4);
    }
    assertThat(limiter.peek("k").remaining()).isEqualTo(10);
    assertThat(drain(limiter)).isEqualTo(10);
  }

  @Test
  void refund_largestAmount_isFullAndNoMore() {
    RateLimiter limiter = limiter("refund", Limit.perSecond(10).burst(10));
    limiter.charge("k", 1e12);

    limiter.refund("k", 1e12);
    limiter.refund("k", 1e12);

    assertThat(drain(limiter)).isEqualTo(10);
  }
}
