package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What the window table keeps, drops and evicts. */
class WindowTableTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration DAY = Duration.ofDays(1);

  private final ManualClock clock = new ManualClock();

  @Test
  void tryAcquire_twoKeys_countsThemApart() {
    RateLimiter limiter = RateLimiter.on(store(10), "x", Limit.fixedWindow(1, DAY));
    assertThat(limiter.tryAcquire("a")).isTrue();
    assertThat(limiter.tryAcquire("b")).isTrue();
    assertThat(limiter.tryAcquire("a")).isFalse();
    assertThat(limiter.tryAcquire("b")).isFalse();
  }

  @Test
  void reset_knownAndUnknownKeys_forgetsWhatWasCounted() {
    InProcessStore store = store(10);
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.slidingLog(1, DAY));
    limiter.reset("unknown");
    assertThat(store.keys()).isZero();
    limiter.take("k");
    assertThat(store.keys()).isEqualTo(1);
    limiter.reset("k");
    assertThat(store.keys()).isZero();
    assertThat(limiter.tryAcquire("k")).isTrue();
    assertThat(store.evictions()).isZero();
  }

  @Test
  void peek_unknownKey_keepsNothing() {
    InProcessStore store = store(10);
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.slidingWindow(3, DAY));
    assertThat(limiter.peek("k").remaining()).isEqualTo(3);
    assertThat(store.keys()).isZero();
  }

  @Test
  void tryAcquire_newKeys_dropsThoseOfPastWindows() {
    InProcessStore store = store(100_000);
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.fixedWindow(5, SECOND));
    long most = 0;
    for (int i = 0; i < 20_000; i++) {
      limiter.tryAcquire("key-" + i);
      clock.advance(Duration.ofMillis(10));
      most = Math.max(most, store.keys());
    }
    assertThat(most).isBetween(100L, 1_000L);
    assertThat(store.evictions()).isZero();
  }

  @Test
  void tryAcquire_atTheCap_evictsTheLeastUsed() {
    InProcessStore store = store(100);
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.fixedWindow(10, DAY));
    for (int i = 0; i < 90; i++) {
      limiter.take("spent-" + i, 10);
    }
    for (int i = 0; i < 2_000; i++) {
      assertThat(limiter.tryAcquire("flood-" + i)).isTrue();
      assertThat(store.keys()).isLessThanOrEqualTo(100);
    }
    for (int i = 0; i < 90; i++) {
      assertThat(limiter.tryAcquire("spent-" + i)).as("spent-%s", i).isFalse();
    }
    assertThat(store.evictions()).isEqualTo(1_990);
    assertThat(store.forgivenTokens()).isEqualTo(1_990);
  }

  @Test
  void tryAcquire_atTheCapWithAllSpent_stillServesNewKeys() {
    InProcessStore store = store(16);
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.fixedWindow(1, DAY));
    for (int i = 0; i < 500; i++) {
      assertThat(limiter.tryAcquire("key-" + i)).isTrue();
    }
    assertThat(store.keys()).isEqualTo(16);
  }

  @Test
  void tryAcquire_longLogs_countForWhatTheyTake() {
    InProcessStore store = store(1_000);
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.slidingLog(10_000, DAY));
    for (int i = 0; i < 1_000; i++) {
      limiter.tryAcquire("k");
      clock.advanceNanos(1);
    }
    assertThat(store.keys()).as("1024 entries, four to a key").isEqualTo(256);
    limiter.reset("k");
    assertThat(store.keys()).isZero();
  }

  @Test
  void tryAcquire_underLimitsOfSeveralLengths_countsAWindowForEach() {
    InProcessStore store = store(1_000);
    RateLimiter log = RateLimiter.on(store, "x", Limit.slidingLog(10, DAY));
    RateLimiter hourly = RateLimiter.on(store, "x", Limit.slidingLog(10, Duration.ofHours(1)));
    RateLimiter fixed = RateLimiter.on(store, "x", Limit.fixedWindow(10, DAY));
    for (int i = 0; i < 100; i++) {
      assertThat(log.tryAcquire("key-" + i)).isTrue();
    }
    assertThat(store.keys()).isEqualTo(100);
    for (int i = 0; i < 100; i++) {
      assertThat(hourly.tryAcquire("key-" + i)).isTrue();
      assertThat(fixed.tryAcquire("key-" + i)).isTrue();
      assertThat(fixed.tryAcquire("key-" + i)).isTrue();
    }
    assertThat(store.keys()).as("three windows for each key").isEqualTo(300);
    log.reset("key-0");
    assertThat(store.keys()).isEqualTo(297);
    clock.advance(DAY.multipliedBy(2));
    for (int i = 1; i < 100; i++) {
      assertThat(log.tryAcquire("key-" + i)).isTrue();
    }
    assertThat(store.keys()).as("unused windows are dropped").isEqualTo(99);
  }

  @Test
  void tryAcquire_underLimitsOfSeveralLengthsAtTheCap_staysWithinIt() {
    InProcessStore store = store(100);
    RateLimiter log = RateLimiter.on(store, "x", Limit.slidingLog(10, DAY));
    RateLimiter hourly = RateLimiter.on(store, "x", Limit.slidingLog(10, Duration.ofHours(1)));
    RateLimiter token = RateLimiter.on(store, "y", Limit.perDay(1).burst(1));
    for (int i = 0; i < 500; i++) {
      String key = "key-" + i;
      assertThat(log.tryAcquire(key)).isTrue();
      long before = store.keys();
      assertThat(RateLimiter.all(hourly.at(key), token.at(key, 2)).tryAcquire()).isFalse();
      assertThat(store.keys()).as("what was reserved for a denied request").isEqualTo(before);
      assertThat(hourly.tryAcquire(key)).isTrue();
      assertThat(store.keys()).isLessThanOrEqualTo(100);
      assertThat(log.peek(key).remaining()).as("its own key is kept").isEqualTo(8);
    }
    assertThat(store.keys()).isEqualTo(100);
  }

  @Test
  void tryAcquire_underLimitsOfMoreLengthsThanTheStoreKeeps_staysWithinTheCap() {
    InProcessStore store = store(1);
    RateLimiter log = RateLimiter.on(store, "x", Limit.slidingLog(2, DAY));
    RateLimiter hourly = RateLimiter.on(store, "x", Limit.slidingLog(2, Duration.ofHours(1)));
    for (int i = 0; i < 50; i++) {
      log.tryAcquire("k");
      hourly.tryAcquire("k");
      assertThat(store.keys()).isEqualTo(1);
    }
    assertThat(store.evictions()).isPositive();
  }

  @Test
  void tryAcquire_logsOfManyKeys_stayWithinTheCap() {
    InProcessStore store = store(1_000);
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.slidingLog(10_000, DAY));
    for (int i = 0; i < 1_000; i++) {
      for (int key = 0; key < 20; key++) {
        limiter.tryAcquire("key-" + key);
        clock.advanceNanos(1);
        assertThat(store.keys()).isLessThanOrEqualTo(1_000);
      }
    }
  }

  @Test
  void tryAcquire_logLargerThanTheStore_isCoarserAndGrantsNoMore() {
    InProcessStore store = store(100);
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.slidingLog(10_000, DAY));
    int granted = 0;
    for (int i = 0; i < 12_000; i++) {
      granted += limiter.tryAcquire("k") ? 1 : 0;
      clock.advanceNanos(1);
    }
    assertThat(granted).isEqualTo(10_000);
    assertThat(store.keys()).isLessThanOrEqualTo(100);
    assertThat(store.evictions()).isZero();
    clock.advance(DAY.minusNanos(12_001));
    assertThat(limiter.tryAcquire("k")).as("a day after the first").isFalse();
    clock.advanceNanos(12_000);
    assertThat(limiter.tryAcquire("k", 10_000)).as("a day after the last").isTrue();
  }

  @Test
  void tryAcquire_logsAtTheCap_evictOtherKeys() {
    InProcessStore store = store(1_000);
    RateLimiter others = RateLimiter.on(store, "y", Limit.perDay(1).burst(10));
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.slidingLog(1_000, DAY));
    for (int i = 0; i < 1_000; i++) {
      others.tryAcquire("key-" + i);
    }
    for (int i = 0; i < 1_000; i++) {
      assertThat(limiter.tryAcquire("k")).isTrue();
      clock.advanceNanos(1);
    }
    clock.advance(DAY.minusNanos(1_000));
    assertThat(limiter.tryAcquire("k")).as("the first of them has expired").isTrue();
    assertThat(limiter.tryAcquire("k")).as("but not the second").isFalse();
    assertThat(store.keys()).isLessThanOrEqualTo(1_000);
  }

  @Test
  void tryAcquire_floodOfExhaustedKeys_resetsNoDeniedKey() {
    InProcessStore store = store(200);
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.fixedWindow(1, DAY));
    for (int i = 0; i < 300; i++) {
      limiter.tryAcquire("denied-" + i % 150);
    }
    for (int i = 0; i < 2_000; i++) {
      assertThat(limiter.tryAcquire("flood-" + i)).isTrue();
    }
    for (int i = 0; i < 150; i++) {
      assertThat(limiter.tryAcquire("denied-" + i)).as("denied-%s", i).isFalse();
    }
  }

  @Test
  void replaceLimit_anotherWindow_keepsWhatIsUsed() {
    RateLimiter limiter = RateLimiter.on(store(10), "x", Limit.fixedWindow(10, DAY));
    limiter.take("k", 4);
    limiter.replaceLimit(Limit.fixedWindow(20, DAY));
    assertThat(limiter.peek("k").remaining()).isEqualTo(16);
    limiter.replaceLimit(Limit.slidingLog(12, DAY));
    assertThat(limiter.peek("k").remaining()).isEqualTo(8);
    limiter.replaceLimit(Limit.slidingWindow(3, SECOND));
    assertThat(limiter.tryAcquire("k")).isFalse();
    clock.advance(Duration.ofSeconds(2));
    assertThat(limiter.peek("k").remaining()).isEqualTo(3);
  }

  @Test
  void peek_afterAReplacedLimit_predictsAndChangesNothing() {
    RateLimiter limiter = RateLimiter.on(store(10), "x", Limit.fixedWindow(5, SECOND));
    limiter.take("k", 5);
    limiter.replaceLimit(Limit.fixedWindow(5, Duration.ofHours(1)));
    clock.advance(Duration.ofMillis(500));
    assertThat(limiter.peek("k").remaining()).isZero();
    assertThat(limiter.peek("k", 1))
        .returns(false, Decision::allowed)
        .returns(Duration.ofHours(1).minusMillis(500), Decision::retryAfter);
    clock.advance(SECOND);
    assertThat(limiter.tryAcquire("k", 5)).isTrue();
  }

  @Test
  void peek_underALargerLimit_doesNotChangeWhatCounts() {
    InProcessStore store = store(10);
    RateLimiter small = RateLimiter.on(store, "x", Limit.fixedWindow(2, DAY));
    RateLimiter large = RateLimiter.on(store, "x", Limit.fixedWindow(10, DAY));
    RateLimiter log = RateLimiter.on(store, "x", Limit.slidingLog(10, SECOND));
    small.take("k", 1);
    large.peek("k");
    log.take("k", 5);
    assertThat(large.peek("k").remaining()).as("what the others granted").isEqualTo(4);
  }

  @Test
  void replaceLimit_sameLength_keepsTheCountOfEachWindow() {
    RateLimiter limiter = RateLimiter.on(store(10), "x", Limit.slidingWindow(10, DAY));
    limiter.take("k", 8);
    clock.advance(DAY.plusHours(12));
    assertThat(limiter.peek("k").remaining()).isEqualTo(6);
    limiter.replaceLimit(Limit.slidingWindow(12, DAY));
    assertThat(limiter.peek("k").remaining()).isEqualTo(8);
    assertThat(limiter.tryAcquire("k", 8)).isTrue();
    clock.advance(Duration.ofHours(6));
    assertThat(limiter.peek("k").remaining()).isEqualTo(2);
    limiter.replaceLimit(Limit.slidingWindow(11, DAY));
    assertThat(limiter.peek("k").resetAfter()).isEqualTo(Duration.ofHours(30));
  }

  @Test
  void replaceLimit_whileAnotherIsActive_keepsOneWindowForEach() {
    InProcessStore store = store(100);
    RateLimiter replaced = RateLimiter.on(store, "x", Limit.fixedWindow(10, SECOND));
    RateLimiter other = RateLimiter.on(store, "x", Limit.fixedWindow(1_000, DAY));
    for (int i = 0; i < 50; i++) {
      assertThat(replaced.tryAcquire("k")).isTrue();
      assertThat(other.tryAcquire("k")).isTrue();
      assertThat(store.keys()).isEqualTo(2);
      replaced.replaceLimit(Limit.fixedWindow(11 + i, SECOND));
      clock.advance(SECOND);
    }
    assertThat(other.peek("k").remaining()).isEqualTo(900);
  }

  @Test
  void tryAcquire_largerLogOfTheSameLength_startsWithWhatOthersGranted() {
    InProcessStore store = store(10);
    RateLimiter small = RateLimiter.on(store, "x", Limit.slidingLog(2, DAY));
    RateLimiter large = RateLimiter.on(store, "x", Limit.slidingLog(10, DAY));
    RateLimiter hourly = RateLimiter.on(store, "x", Limit.slidingLog(8, Duration.ofHours(1)));
    small.take("k", 1);
    hourly.take("k", 5);
    assertThat(store.keys()).isEqualTo(2);
    assertThat(large.peek("k").remaining()).isEqualTo(4);
    assertThat(large.tryAcquire("k", 4)).isTrue();
    assertThat(large.tryAcquire("k")).isFalse();
    assertThat(store.keys()).as("4 entries each").isEqualTo(2);
  }

  @Test
  void peek_whileTheClockIsAheadOrBehind_changesNothing() {
    InProcessStore store = store(10);
    RateLimiter[] limiters = {
      RateLimiter.on(store, "fixed", Limit.fixedWindow(5, SECOND)),
      RateLimiter.on(store, "counter", Limit.slidingWindow(5, SECOND)),
      RateLimiter.on(store, "log", Limit.slidingLog(5, SECOND))
    };
    clock.set(10_500_000_000L);
    for (RateLimiter limiter : limiters) {
      limiter.take("k", 5);
      for (long step : new long[] {-600_000_000, -5_000_000_000L, 5_000_000_000L}) {
        clock.advanceNanos(step);
        limiter.peek("k");
        clock.advanceNanos(-step);
        assertThat(limiter.tryAcquire("k")).as(limiter.name()).isFalse();
      }
    }
  }

  private InProcessStore store(long maxKeys) {
    return InProcessStore.builder().clock(clock).hash(new SipHash(3, 4)).maxKeys(maxKeys).build();
  }
}
