package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * P7: a flood of made-up keys doesn't reset a key that is being denied, whatever is left in its
 * bucket.
 */
class DeniedKeysTest {
  private static final Duration DAYS = Duration.ofDays(100);

  private final ManualClock clock = new ManualClock();
  private final InProcessStore store =
      InProcessStore.builder().clock(clock).hash(new SipHash(3, 4)).maxKeys(64).build();
  private final RateLimiter flood = RateLimiter.on(store, "flood", Limit.perDay(1).burst(1));

  @Test
  void tryAcquire_bucketWithLessLeftThanTheCost_staysDenied() {
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perDay(1).burst(10));
    limiter.take("k", 6);
    assertThat(grantsInAFlood(limiter, 5)).isZero();
  }

  @Test
  void tryAcquire_bucketWithLessThanATokenLeft_staysDenied() {
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perDay(1).burst(10));
    limiter.take("k", 9.5);
    assertThat(grantsInAFlood(limiter, 1)).isZero();
  }

  @Test
  void tryAcquire_deniedKeyInARebuiltSegment_staysDenied() {
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perDay(1).burst(10));
    limiter.take("k", 6);
    assertThat(limiter.tryAcquire("k", 5)).isFalse();
    for (int i = 0; i < 2_000; i++) {
      limiter.tryAcquire("flood-" + i);
    }
    assertThat(limiter.tryAcquire("k", 5)).isFalse();
  }

  @Test
  void tryAcquire_bucketOfTwoTiers_staysDenied() {
    RateLimiter tight = RateLimiter.on(store, "x", Limit.perDay(1).burst(10));
    RateLimiter loose = RateLimiter.on(store, "x", Limit.perDay(1).burst(20));
    tight.take("k", 1);
    loose.take("k", 1);
    tight.take("k", 7.5);
    assertThat(grantsInAFlood(tight, 1)).isZero();
  }

  @Test
  void tryAcquire_bucketOfTwoTiersWithoutAToken_isEvictedAfterThoseWithTokens() {
    RateLimiter tight = RateLimiter.on(store, "x", Limit.perDay(1).burst(10));
    RateLimiter loose = RateLimiter.on(store, "x", Limit.perDay(1).burst(20));
    RateLimiter others = RateLimiter.on(store, "y", Limit.perDay(1).burst(100));
    tight.take("k", 1);
    loose.take("k", 1);
    tight.take("k", 7.5);
    for (int i = 0; i < 500; i++) {
      others.tryAcquire("other-" + i, 97);
    }
    assertThat(tight.tryAcquire("k")).isFalse();
  }

  @Test
  void tryAcquire_windowWithLessLeftThanTheCost_staysDenied() {
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.fixedWindow(10, DAYS));
    limiter.take("k", 6);
    assertThat(grantsInAFlood(limiter, 5)).isZero();
  }

  @Test
  void tryAcquire_windowThatGrantsLessMeanwhile_staysDenied() {
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.slidingLog(10, DAYS));
    limiter.take("k", 6);
    assertThat(limiter.tryAcquire("k", 5)).isFalse();
    assertThat(limiter.tryAcquire("k", 1)).isTrue();
    flood(2_000);
    assertThat(limiter.tryAcquire("k", 5)).isFalse();
  }

  @Test
  void tryAcquire_windowsOfOneLengthAndTwoLimits_staysDeniedUnderTheSmaller() {
    RateLimiter small = RateLimiter.on(store, "x", Limit.fixedWindow(10, DAYS));
    RateLimiter large = RateLimiter.on(store, "x", Limit.fixedWindow(100, DAYS));
    small.take("k", 1);
    large.take("k", 1);
    small.take("k", 8);
    assertThat(grantsInAFlood(small, 1)).isZero();
  }

  @Test
  void tryAcquire_windowsOfOneLengthSpentUnderTheSmaller_isEvictedAfterThoseWithTokens() {
    RateLimiter small = RateLimiter.on(store, "x", Limit.fixedWindow(10, DAYS));
    RateLimiter large = RateLimiter.on(store, "x", Limit.fixedWindow(100, DAYS));
    RateLimiter others = RateLimiter.on(store, "y", Limit.fixedWindow(100, DAYS));
    large.take("k", 5);
    small.take("k", 5);
    for (int i = 0; i < 500; i++) {
      others.tryAcquire("other-" + i, 50);
    }
    assertThat(small.tryAcquire("k")).isFalse();
  }

  @Test
  void tryAcquire_deniedKeyThatIsFullAgain_isEvictedBeforeOthers() {
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perSecond(1).burst(1));
    for (int i = 0; i < 128; i++) {
      limiter.tryAcquire("key-" + i % 64);
    }
    clock.advance(Duration.ofSeconds(1));
    flood(64);
    assertThat(store.evictions()).isZero();
    for (int i = 0; i < 64; i++) {
      assertThat(flood.tryAcquire("flood-" + i)).isFalse();
    }
  }

  private int grantsInAFlood(RateLimiter limiter, double cost) {
    assertThat(limiter.tryAcquire("k", cost)).isFalse();
    int granted = 0;
    for (int i = 0; i < 2_000; i++) {
      flood.tryAcquire("flood-" + i);
      granted += limiter.tryAcquire("k", cost) ? 1 : 0;
    }
    return granted;
  }

  private void flood(int keys) {
    for (int i = 0; i < keys; i++) {
      flood.tryAcquire("flood-" + i);
    }
  }
}
