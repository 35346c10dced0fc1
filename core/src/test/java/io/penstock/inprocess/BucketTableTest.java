package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** P5, P7 and P10 of the table: what it keeps, drops and evicts. */
class BucketTableTest {
  private final ManualClock clock = new ManualClock();

  @Test
  void tryAcquire_hundredThousandKeys_keepsEachOfThem() {
    RateLimiter limiter = RateLimiter.on(store(1_000_000), "x", Limit.perDay(1).burst(2));
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 100_000; i++) {
        assertThat(limiter.tryAcquire("key-" + i)).isTrue();
      }
    }
    for (int i = 0; i < 100_000; i++) {
      assertThat(limiter.tryAcquire("key-" + i)).isFalse();
    }
  }

  @Test
  void tryAcquire_newKeysThatRefill_usesConstantMemory() {
    InProcessStore store = store(1_000_000);
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perSecond(10).burst(10));
    long most = 0;
    for (int i = 0; i < 300_000; i++) {
      limiter.tryAcquire("key-" + i);
      clock.advanceNanos(1_000_000);
      most = Math.max(most, store.keys());
    }
    // 1,000 keys per second, each in debt for 0.1 s and kept for one more second, in 977 segments.
    assertThat(most).isLessThan(30_000);
    assertThat(store.evictions()).isZero();
  }

  @Test
  void peek_unknownKeysAtTheCap_evictsNothing() {
    InProcessStore store = store(10);
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perDay(1).burst(10));
    RateLimiter other = RateLimiter.on(store, "y", Limit.slidingLog(5, Duration.ofDays(1)));
    for (int i = 0; i < 12; i++) {
      limiter.tryAcquire("spent-" + i, 9);
    }
    long before = store.evictions();
    for (int i = 0; i < 100; i++) {
      Decision foreseen =
          RateLimiter.all(limiter.at("new-" + i, 4), other.at("new-" + i, 2)).peek();
      assertThat(foreseen.allowed()).isTrue();
      assertThat(foreseen.results()).extracting(Decision::remaining).containsExactly(6.0, 3.0);
      // An evicted key has left a retired slot.
      Decision looked = RateLimiter.all(limiter.at("spent-" + i % 12, 0), other.at("k", 0)).take();
      assertThat(looked.allowed()).isTrue();
    }
    assertThat(store.keys()).isEqualTo(10);
    assertThat(store.evictions()).isEqualTo(before);
  }

  @Test
  void tryAcquire_atTheCap_evictsTheBucketsWithTheLeastMissing() {
    InProcessStore store = store(100);
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perDay(1).burst(10));
    for (int i = 0; i < 90; i++) {
      assertThat(limiter.tryAcquire("spent-" + i, 10)).isTrue();
    }
    for (int i = 0; i < 10_000; i++) {
      assertThat(limiter.tryAcquire("flood-" + i)).isTrue();
      assertThat(store.keys()).isLessThanOrEqualTo(100);
    }
    for (int i = 0; i < 90; i++) {
      assertThat(limiter.tryAcquire("spent-" + i)).as("spent-%s", i).isFalse();
    }
    assertThat(store.evictions()).isEqualTo(9_990);
    assertThat(store.forgivenTokens()).isEqualTo(9_990);
  }

  @Test
  void tryAcquire_atTheCapWithAllSpent_stillServesNewKeys() {
    InProcessStore store = store(16);
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perDay(1).burst(1));
    for (int i = 0; i < 1_000; i++) {
      assertThat(limiter.tryAcquire("key-" + i)).isTrue();
    }
    assertThat(store.keys()).isLessThanOrEqualTo(16);
  }

  @Test
  void tryAcquire_floodOfExhaustedKeys_resetsNoDeniedKey() {
    InProcessStore store = store(1_000);
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perDay(1).burst(1));
    for (int i = 0; i < 1_800; i++) {
      assertThat(limiter.tryAcquire("denied-" + i % 900)).isEqualTo(i < 900);
    }
    for (int i = 0; i < 20_000; i++) {
      assertThat(limiter.tryAcquire("flood-" + i)).isTrue();
    }
    for (int i = 0; i < 900; i++) {
      assertThat(limiter.tryAcquire("denied-" + i)).as("denied-%s", i).isFalse();
    }
    assertThat(store.keys()).isEqualTo(1_000);
  }

  @Test
  void all_deniedInAFlood_isNotReset() {
    InProcessStore store = store(1_000);
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perDay(1).burst(1));
    var other = RateLimiter.on(store, "y", Limit.perDay(1).burst(10)).global();
    assertThat(RateLimiter.all(limiter.at("k"), other.at()).tryAcquire()).isTrue();
    assertThat(RateLimiter.all(limiter.at("k"), other.at()).tryAcquire()).isFalse();
    for (int i = 0; i < 5_000; i++) {
      limiter.tryAcquire("flood-" + i);
    }
    assertThat(limiter.tryAcquire("k")).isFalse();
  }

  @Test
  void tryAcquire_atTheCapOverSeveralLimiters_evictsFromTheLargest() {
    InProcessStore store = store(2_000);
    RateLimiter quiet = RateLimiter.on(store, "quiet", Limit.perDay(1).burst(10));
    RateLimiter flooded = RateLimiter.on(store, "flooded", Limit.perDay(1).burst(10));
    for (int i = 0; i < 100; i++) {
      quiet.tryAcquire("key-" + i, 3);
    }
    for (int i = 0; i < 20_000; i++) {
      flooded.tryAcquire("key-" + i);
    }
    for (int i = 0; i < 100; i++) {
      assertThat(quiet.peek("key-" + i).remaining()).isEqualTo(7);
    }
    assertThat(store.keys()).isLessThanOrEqualTo(2_000);
  }

  @Test
  void tryAcquire_floodsOfTwoLimitersInTurn_sharesOneCap() {
    InProcessStore store = store(5_000);
    for (String name : new String[] {"first", "second", "third"}) {
      RateLimiter limiter = RateLimiter.on(store, name, Limit.perDay(1).burst(10));
      for (int i = 0; i < 20_000; i++) {
        limiter.tryAcquire("key-" + i);
      }
      assertThat(store.keys()).isLessThanOrEqualTo(5_000);
    }
  }

  @Test
  void tryAcquire_atTheCapWithTheLargestTableSpent_evictsFromItsOwn() {
    InProcessStore store = store(1_000);
    RateLimiter spent = RateLimiter.on(store, "spent", Limit.perDay(1).burst(1));
    RateLimiter asking = RateLimiter.on(store, "asking", Limit.perDay(1).burst(10));
    for (int i = 0; i < 900; i++) {
      spent.tryAcquire("key-" + i);
    }
    for (int i = 0; i < 2_000; i++) {
      asking.tryAcquire("key-" + i);
    }
    for (int i = 0; i < 900; i++) {
      assertThat(spent.tryAcquire("key-" + i)).as("key-%s", i).isFalse();
    }
    assertThat(store.keys()).isLessThanOrEqualTo(1_000);
  }

  @Test
  void tryAcquire_atTheCapWithItsOwnTableSpent_evictsFromOthersFirst() {
    InProcessStore store = store(1_000);
    RateLimiter login = RateLimiter.on(store, "login", Limit.perDay(1).burst(1));
    RateLimiter api = RateLimiter.on(store, "api", Limit.perSecond(10).burst(10));
    for (int i = 0; i < 400; i++) {
      api.tryAcquire("key-" + i);
    }
    for (int i = 0; i < 950; i++) {
      login.tryAcquire("key-" + i);
    }
    for (int i = 0; i < 950; i++) {
      assertThat(login.tryAcquire("key-" + i)).as("key-%s", i).isFalse();
    }
  }

  @Test
  void all_moreClaimsThanTheCap_isStillDecided() {
    RateLimiter limiter = RateLimiter.on(store(1), "x", Limit.perDay(1).burst(1));
    RateLimiter windows = RateLimiter.on(store(1), "y", Limit.fixedWindow(1, Duration.ofDays(1)));
    assertThat(
            RateLimiter.all(limiter.at("a"), limiter.at("b"), windows.at("a"), windows.at("b"))
                .tryAcquire())
        .isTrue();
  }

  @Test
  void tryAcquire_atTheCapWithFullBucketsAround_countsNoEviction() {
    InProcessStore store = store(50);
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perSecond(10).burst(10));
    for (int i = 0; i < 50; i++) {
      limiter.tryAcquire("key-" + i);
    }
    clock.advance(Duration.ofMillis(500));
    for (int i = 0; i < 20; i++) {
      limiter.tryAcquire("later-" + i);
    }
    assertThat(store.evictions()).isZero();
    assertThat(store.keys()).isLessThanOrEqualTo(50);
  }

  @Test
  void all_farBeyondTheSpanOfItsUnits_keepsCounting() {
    RateLimiter limiter = RateLimiter.on(store(1_000), "x", Limit.perSecond(999_999).burst(10));
    for (int i = 0; i < 5; i++) {
      assertThat(RateLimiter.all(limiter.at("a", 10), limiter.at("b", 10)).tryAcquire()).isTrue();
      assertThat(RateLimiter.all(limiter.at("a"), limiter.at("b")).tryAcquire()).isFalse();
      clock.advance(Duration.ofMinutes(i % 2 == 0 ? 25 : 60));
    }
    clock.advance(Duration.ofMinutes(-50));
    assertThat(limiter.tryAcquire("a", 0.001)).isFalse();
  }

  @Test
  void replaceLimit_inMidBurst_keepsWhatWasConsumed() {
    RateLimiter limiter = RateLimiter.on(store(1_000), "x", Limit.perSecond(10).burst(50));
    limiter.tryAcquire("a", 30);
    limiter.tryAcquire("b", 50);
    limiter.replaceLimit(Limit.perSecond(100).burst(500));
    assertThat(limiter.peek("a").remaining()).isEqualTo(470);
    assertThat(limiter.peek("b").remaining()).isEqualTo(450);
    limiter.replaceLimit(Limit.perSecond(1).burst(20));
    assertThat(limiter.peek("a").remaining()).as("at most the new burst is missing").isZero();
    clock.advance(Duration.ofSeconds(20));
    assertThat(limiter.peek("a").remaining()).isEqualTo(20);
  }

  @Test
  void take_twoLimitersOfOneNameInTurn_grantNoMoreThanTheLooserAndDoNotFreeze() {
    InProcessStore store = store(1_000);
    RateLimiter loose = RateLimiter.on(store, "x", Limit.perSecond(10).burst(10));
    RateLimiter tight = RateLimiter.on(store, "x", Limit.perSecond(3).burst(3));
    int granted = 0;
    int seconds = 20;
    for (int i = 0; i < seconds * 100; i++) {
      granted += (i % 2 == 0 ? loose : tight).tryAcquire("k") ? 1 : 0;
      clock.advance(Duration.ofMillis(10));
    }
    assertThat(granted).isBetween(3 * seconds, 10 + 10 * seconds);
  }

  @Test
  void take_clockBeyondTheSpanOfItsUnits_refillsAndKeepsCounting() {
    // 999,999/s needs a millionth of a nanosecond: one base spans 19 minutes.
    RateLimiter limiter =
        RateLimiter.on(store(1_000), "x", Limit.perSecond(999_999).burst(1_000_000_000));
    limiter.charge("k", 1_000_000_000);
    for (int minutes = 1; minutes <= 40; minutes++) {
      clock.advance(Duration.ofMinutes(1));
      double expected = Math.min(1_000_000_000.0, minutes * 60 * 999_999.0);
      assertThat(limiter.peek("k").remaining()).isEqualTo(expected);
    }
    clock.advance(Duration.ofDays(3_650));
    assertThat(limiter.tryAcquire("k", 1_000_000_000)).isTrue();
    assertThat(limiter.tryAcquire("k")).isFalse();
  }

  private InProcessStore store(long maxKeys) {
    return InProcessStore.builder().clock(clock).hash(new SipHash(3, 4)).maxKeys(maxKeys).build();
  }
}
