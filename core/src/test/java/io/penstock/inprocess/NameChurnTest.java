package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Unused names are freed, but not before their buckets are full. */
class NameChurnTest {
  private static final long MEBIBYTE = 1 << 20;

  private final ManualClock clock = new ManualClock();
  private final InProcessStore store = InProcessStore.builder().clock(clock).build();

  @Test
  void retire_twoHundredThousandNamesInASmallHeap_freesThem() throws Exception {
    Fork names = Fork.run("-Xmx48m", NameChurn.class);
    assertThat(names.figure("left")).isLessThan(4 * MEBIBYTE);
    assertThat(names.figure("keys")).isLessThan(1_000);
    assertThat(names.figure("each")).isLessThan(2_048);
  }

  @Test
  void retire_withTokensMissing_keepsThemForTheNextLimiter() {
    for (Limit limit :
        new Limit[] {
          Limit.perHour(1).burst(5), Limit.fixedWindow(5, Duration.ofHours(1)),
        }) {
      RateLimiter first = RateLimiter.on(store, "x", limit);
      first.take("k", 4);
      first.retire();
      useOthers();
      RateLimiter second = RateLimiter.on(store, "x", limit);
      assertThat(second.peek("k").remaining()).isEqualTo(1);
      second.retire();
      clock.advance(Duration.ofDays(1));
    }
  }

  @Test
  void retire_whenFullAgain_freesTheKeys() {
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perSecond(1).burst(5));
    limiter.take("k", 5);
    limiter.retire();
    assertThat(store.keys()).isEqualTo(1);
    clock.advance(Duration.ofSeconds(6));
    useOthers();
    assertThat(store.keys()).isZero();
    assertThat(store.evictions()).isZero();
  }

  @Test
  void take_afterTheNameWasFreed_isStillCountedAndFreedAgain() {
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perSecond(1).burst(5));
    limiter.retire();
    limiter.retire();
    assertThat(limiter.tryAcquire("k", 5)).isTrue();
    assertThat(limiter.tryAcquire("k", 5)).isFalse();
    assertThat(store.keys()).isEqualTo(1);
    RateLimiter next = RateLimiter.on(store, "x", Limit.perSecond(1).burst(5));
    assertThat(next.tryAcquire("k")).isFalse();
    next.retire();
    clock.advance(Duration.ofSeconds(6));
    useOthers();
    assertThat(store.keys()).isZero();
  }

  /** Every use of a name checks some others. */
  private void useOthers() {
    for (int i = 0; i < 20; i++) {
      RateLimiter.on(store, "other", Limit.perSecond(1)).retire();
    }
  }
}
