package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.JointRequest;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** P10 with several active limits on one bucket: alternating between them gains nothing. */
class TiersTest {
  private final ManualClock clock = new ManualClock();
  private final InProcessStore store = InProcessStore.builder().clock(clock).build();
  private final RateLimiter loose = RateLimiter.on(store, "x", Limit.perSecond(10).burst(10));
  private final RateLimiter tight = RateLimiter.on(store, "x", Limit.perSecond(3).burst(3));

  @Test
  void take_deniedByTheSmallerOne_refillsByItsOwnLimit() {
    loose.take("k", 10);
    assertThat(tight.take("k").retryAfter()).isEqualTo(Duration.ofNanos(333_333_334));
    clock.advanceNanos(333_333_333);
    assertThat(tight.tryAcquire("k")).isFalse();
    clock.advanceNanos(1);
    assertThat(tight.tryAcquire("k")).isTrue();
    assertThat(loose.peek("k").remaining()).as("what the other granted").isEqualTo(2.333);
  }

  @Test
  void take_deniedByTheFasterOne_doesNotRefillTheSlowerOne() {
    RateLimiter slow = RateLimiter.on(store, "y", Limit.perDay(1).burst(100));
    RateLimiter fast = RateLimiter.on(store, "y", Limit.perSecond(10).burst(10));
    slow.take("k", 100);
    assertThat(fast.take("k").retryAfter()).isEqualTo(Duration.ofMillis(100));
    clock.advance(Duration.ofSeconds(10));
    assertThat(fast.tryAcquire("k", 10)).isTrue();
    assertThat(slow.tryAcquire("k")).isFalse();
  }

  @Test
  void take_inTurn_forgivesNothing() {
    loose.take("k", 10);
    for (int i = 0; i < 10; i++) {
      assertThat(tight.tryAcquire("k", 0.001)).isFalse();
      assertThat(tight.peek("k").remaining()).isZero();
      assertThat(loose.tryAcquire("k", 0.001)).isFalse();
      assertThat(loose.peek("k").remaining()).isZero();
    }
  }

  @Test
  void take_allowedByTheOther_takesFromTheSameBucket() {
    loose.take("k", 1);
    assertThat(tight.take("k", 1).remaining()).isEqualTo(1);
    assertThat(loose.peek("k").remaining()).isEqualTo(8);
    assertThat(loose.take("k", 1).remaining()).isEqualTo(7);
    assertThat(tight.take("k", 1).allowed()).isFalse();
  }

  @Test
  void peek_underTheOther_changesNothing() {
    RateLimiter slow = RateLimiter.on(store, "y", Limit.perHour(1).burst(5));
    RateLimiter fast = RateLimiter.on(store, "y", Limit.perSecond(10).burst(5));
    slow.take("k", 5);
    assertThat(fast.peek("k").remaining()).isZero();
    clock.advance(Duration.ofMinutes(30));
    assertThat(fast.peek("k").remaining()).isEqualTo(0.5);
    assertThat(slow.peek("k").remaining()).isEqualTo(0.5);
  }

  @Test
  void chargeAndRefund_underTheOther_moveTheSameBucket() {
    loose.take("k", 2);
    tight.charge("k", 2);
    assertThat(loose.peek("k").remaining()).isEqualTo(6);
    tight.refund("k", 1);
    assertThat(loose.peek("k").remaining()).isEqualTo(7);
    tight.reset("k");
    assertThat(loose.peek("k").remaining()).isEqualTo(10);
  }

  @Test
  void charge_underALimitOfFineUnits_isMissingInFullUnderTheOther() {
    RateLimiter coarse = RateLimiter.on(store, "y", Limit.perHour(1000).burst(1000));
    RateLimiter fine = RateLimiter.on(store, "y", Limit.perSecond(0.0000123457).burst(1));
    coarse.take("k", 1);
    fine.charge("k", 500);
    assertThat(coarse.peek("k").remaining()).isEqualTo(499);
  }

  @Test
  void refund_underALimitOfFineUnits_isReturnedInFullUnderTheOther() {
    RateLimiter coarse = RateLimiter.on(store, "y", Limit.perHour(1000).burst(1000));
    RateLimiter fine = RateLimiter.on(store, "y", Limit.perSecond(0.0000123457).burst(1));
    coarse.take("k", 900);
    fine.refund("k", 500);
    assertThat(coarse.peek("k").remaining()).isEqualTo(600);
  }

  @Test
  void all_deniedUnderTheOther_leavesTheBucketAsItWas() {
    RateLimiter other = RateLimiter.on(store, "other", Limit.perSecond(1).burst(5));
    loose.take("k", 10);
    assertThat(RateLimiter.all(tight.at("k"), other.global().at()).take().limiter()).isEqualTo("x");
    assertThat(other.peek("unused").remaining()).isEqualTo(5);
    clock.advance(Duration.ofMillis(800));
    assertThat(RateLimiter.all(tight.at("k"), other.global().at()).tryAcquire()).isTrue();
    assertThat(tight.peek("k").remaining()).isEqualTo(1.4);
    assertThat(RateLimiter.all(other.at("z"), tight.at("k", 0)).tryAcquire()).isTrue();
  }

  @Test
  void replaceLimit_whileAnotherUsesTheOldOne_keepsWhatEachGranted() {
    RateLimiter same = RateLimiter.on(store, "x", Limit.perSecond(10).burst(10));
    loose.take("k", 10);
    loose.replaceLimit(Limit.perSecond(2).burst(2));
    assertThat(loose.tryAcquire("k")).isFalse();
    assertThat(same.tryAcquire("k")).isFalse();
    clock.advance(Duration.ofMillis(600));
    assertThat(loose.tryAcquire("k")).isTrue();
    assertThat(same.peek("k").remaining()).isEqualTo(5);
    same.replaceLimit(Limit.perSecond(2).burst(2));
    assertThat(loose.peek("k").remaining()).isEqualTo(0.2);
  }

  @Test
  void all_reusedAfterAReplacedLimit_usesTheNewOne() {
    JointRequest claims = RateLimiter.all(loose.at("k"));
    loose.replaceLimit(Limit.perSecond(3).burst(3));
    int granted = 0;
    for (int i = 0; i < 20; i++) {
      granted += (i % 2 == 0 ? claims.tryAcquire() : loose.tryAcquire("k")) ? 1 : 0;
    }
    assertThat(granted).isEqualTo(3);
  }

  @Test
  void acquireAsync_cancelledAfterTheLimitWasReplaced_givesBackUnderTheNewOne() {
    RateLimiter limiter = RateLimiter.on(store, "z", Limit.perSecond(1).burst(1));
    limiter.take("k");
    var waiting = limiter.acquireAsync("k", 1, Duration.ofSeconds(5));
    limiter.replaceLimit(Limit.perSecond(2).burst(4));
    assertThat(limiter.peek("k").remaining()).isEqualTo(2);
    assertThat(waiting.cancel(false)).isTrue();
    assertThat(limiter.peek("k").remaining()).isEqualTo(3);
    limiter.replaceLimit(Limit.fixedWindow(4, Duration.ofSeconds(1)));
    assertThat(limiter.tryAcquire("k", 4)).as("another algorithm starts over").isTrue();
  }

  @Test
  void windows_inTurn_forgiveNothingAndExpire() {
    RateLimiter large = RateLimiter.on(store, "w", Limit.fixedWindow(10, Duration.ofSeconds(1)));
    RateLimiter small = RateLimiter.on(store, "w", Limit.slidingLog(3, Duration.ofSeconds(2)));
    large.take("k", 10);
    for (int i = 0; i < 5; i++) {
      assertThat(small.peek("k").remaining()).isZero();
      assertThat(small.tryAcquire("k")).isFalse();
      assertThat(large.tryAcquire("k")).isFalse();
    }
    clock.advance(Duration.ofSeconds(1));
    assertThat(small.tryAcquire("k")).isTrue();
    assertThat(large.peek("k").remaining()).isEqualTo(9);
  }

  @Test
  void retire_oneOfTwoLimits_leavesTheOther() {
    loose.take("k", 8);
    assertThat(tight.take("k").retryAfter()).isEqualTo(Duration.ofNanos(333_333_334));
    loose.retire();
    clock.advanceNanos(333_333_334);
    assertThat(tight.tryAcquire("k")).isTrue();
    assertThat(tight.tryAcquire("k")).isFalse();
  }
}
