package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.WindowLimit;
import io.penstock.algorithm.WindowTrace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** P10: windows of different lengths under one name, used in turn. */
class WindowsInTurnIT {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final long SECOND_MICROS = 1_000_000;

  private static RedisProcess redis;
  private static ScriptTime time;
  private static RedisCommands<String, String> raw;

  private RedisStore store;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
    time = new ScriptTime(redis);
    raw = RedisClient.create(redis.url()).connect().sync();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @BeforeEach
  void open() {
    time.set(ScriptTime.START);
    store = time.store(redis, false);
  }

  @AfterEach
  void everyKeyEnds() {
    assertThat(redis.keysWithoutTtl()).isEmpty();
    store.close();
  }

  private int takeAll(RateLimiter limiter) {
    int granted = 0;
    while (limiter.tryAcquire("k")) {
      granted++;
    }
    return granted;
  }

  @Test
  void take_whereTwoWindowsEndOneAfterTheOther_grantsNoMoreThanTheLooserAlone() {
    List<RateLimiter> limiters =
        List.of(
            RateLimiter.on(store, "x", Limit.fixedWindow(16, SECOND.multipliedBy(15))),
            RateLimiter.on(store, "x", Limit.fixedWindow(11, SECOND.multipliedBy(11))));
    int seen = 0;
    for (int offset = 0; offset < 2 * 11 * 15; offset++) {
      int begin = offset / 2;
      if (!ends(15, begin) || !ends(11, begin)) {
        continue;
      }
      time.set((ScriptTime.START / SECOND_MICROS / 165 * 165 + begin) * SECOND_MICROS);
      raw.del("penstock:1w:x:{k}");
      int granted = 0;
      for (int i = 0; i < 22; i++) {
        granted += takeAll(limiters.get((i + offset) % 2));
        time.advance(Duration.ofMillis(100));
      }
      assertThat(granted).as("from %s s on", begin).isLessThanOrEqualTo(32);
      seen++;
    }
    assertThat(seen).isGreaterThan(6);
  }

  /** Whether a window ends within two seconds. */
  private static boolean ends(int lengthSeconds, int second) {
    return (second + 2) / lengthSeconds > second / lengthSeconds;
  }

  @Test
  void take_underRandomWindowsInTurn_staysWithinWhatOneAloneGrants() {
    Random random = new Random(11);
    for (int run = 0; run < 25; run++) {
      List<WindowLimit> limits = new ArrayList<>();
      List<RateLimiter> limiters = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        Duration length = SECOND.multipliedBy(2 + random.nextInt(14));
        limits.add(Limit.fixedWindow(2 + random.nextInt(15), length));
        limiters.add(RateLimiter.on(store, "run" + run, limits.get(i)));
      }
      // From the time at which both limits have been used.
      limiters.forEach(limiter -> limiter.tryAcquire("k"));
      time.advance(SECOND.multipliedBy(3));
      WindowTrace trace = new WindowTrace(limits);
      for (int i = 0; i < 120; i++) {
        int cost = 1 + random.nextInt(3);
        while (limiters.get(random.nextInt(2)).tryAcquire("k", cost)) {
          trace.grant(time.micros() * Ticks.NANOS, cost);
        }
        time.advance(Duration.ofMillis(random.nextInt(1_500)));
      }
      trace.check(0);
    }
  }

  @Test
  @Tag("full")
  void take_underAWindowFirstUsedLate_addsAtMostTheDifferenceOfTheLimits() {
    Random random = new Random(12);
    for (int run = 0; run < 25; run++) {
      WindowLimit known = Limit.fixedWindow(17, SECOND.multipliedBy(12));
      WindowLimit late = Limit.fixedWindow(13, SECOND.multipliedBy(3));
      if (run > 0) {
        known = Limit.fixedWindow(9 + random.nextInt(9), SECOND.multipliedBy(8 + run % 9));
        late = Limit.fixedWindow(2 + random.nextInt(7), SECOND.multipliedBy(2 + run % 5));
      }
      RateLimiter first = RateLimiter.on(store, "late" + run, known);
      RateLimiter second = RateLimiter.on(store, "late" + run, late);
      time.set(ScriptTime.START / 12_000_000 * 12_000_000 + 2_900_000 + run * 100_000L);
      WindowTrace trace = new WindowTrace(List.of(known, late));
      for (int i = 0; i < 120; i++) {
        trace.grant(time.micros() * Ticks.NANOS, takeAll(first));
        trace.grant(time.micros() * Ticks.NANOS, takeAll(second));
        time.advance(Duration.ofMillis(100));
      }
      trace.check((known.burstThousandths() - late.burstThousandths()) / 1_000);
    }
  }

  @Test
  void retryAfter_underAnotherWindow_isExact() {
    for (boolean sliding : new boolean[] {false, true}) {
      Duration three = SECOND.multipliedBy(3);
      Limit small = sliding ? Limit.slidingWindow(3, three) : Limit.fixedWindow(3, three);
      Limit large = Limit.fixedWindow(16, SECOND.multipliedBy(7));
      for (int offset = 0; offset < 21; offset++) {
        time.set((ScriptTime.START / SECOND_MICROS / 21 * 21 + offset) * SECOND_MICROS + 700_000);
        RateLimiter one = RateLimiter.on(store, "x" + sliding + offset, small);
        RateLimiter other = RateLimiter.on(store, "x" + sliding + offset, large);
        if (offset % 2 == 0) {
          // Otherwise the denial would be the first use of this limit.
          one.take("k");
        }
        assertThat(other.tryAcquire("k", 15)).isTrue();
        Decision denied = one.take("k", 2);
        assertThat(denied.allowed()).isFalse();
        assertThat(denied.retryAfter())
            .as("at %s", offset)
            .isLessThanOrEqualTo(three.multipliedBy(5));
        time.advance(denied.retryAfter().minusNanos(Ticks.NANOS));
        assertThat(one.tryAcquire("k", 2)).as("sliding %s at %s", sliding, offset).isFalse();
        time.advance(Duration.ofNanos(Ticks.NANOS));
        assertThat(one.tryAcquire("k", 2)).as("sliding %s at %s", sliding, offset).isTrue();
      }
    }
  }

  @Test
  void take_windowsThatEndTogether_doNotBlockEachOther() {
    RateLimiter large = RateLimiter.on(store, "x", Limit.fixedWindow(1_000, SECOND));
    RateLimiter small = RateLimiter.on(store, "x", Limit.fixedWindow(5, SECOND));
    small.take("k");
    large.take("k", 999);
    assertThat(small.tryAcquire("k")).isFalse();
    time.advance(small.take("k").retryAfter());
    assertThat(small.take("k", 5).allowed()).isTrue();
  }

  @Test
  void log_underAShorterWindow_keepsWhatTheLongerCounts() {
    RateLimiter longer = RateLimiter.on(store, "x", Limit.slidingLog(16, SECOND.multipliedBy(15)));
    RateLimiter shorter = RateLimiter.on(store, "x", Limit.slidingLog(11, SECOND.multipliedBy(11)));
    assertThat(takeAll(longer)).isEqualTo(16);
    time.advance(SECOND.multipliedBy(11));
    assertThat(shorter.take("k").allowed()).isTrue();
    assertThat(longer.take("k").retryAfter()).isEqualTo(SECOND.multipliedBy(4));
    time.advance(SECOND.multipliedBy(4));
    assertThat(longer.take("k", 15).allowed()).isTrue();
    assertThat(longer.take("k", 1).allowed()).isFalse();
  }

  @Test
  void log_keepsNoMoreEntriesThanItsLimit() {
    RateLimiter log = RateLimiter.on(store, "x", Limit.slidingLog(20, SECOND));
    RateLimiter longer = RateLimiter.on(store, "x", Limit.slidingLog(3, SECOND.multipliedBy(60)));
    Random random = new Random(1);
    long most = 0;
    for (int i = 0; i < 600; i++) {
      (random.nextInt(20) == 0 ? longer : log).tryAcquire("k");
      most = Math.max(most, raw.llen("penstock:1l:x:{k}"));
      long step = random.nextInt(60_000);
      time.set(time.micros() + (random.nextInt(10) == 0 ? -10 * step : step));
    }
    assertThat(most).as("and one that no longer counts").isLessThanOrEqualTo(21).isGreaterThan(15);
  }
}
