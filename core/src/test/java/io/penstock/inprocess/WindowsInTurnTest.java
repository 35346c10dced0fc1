package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.WindowLimit;
import io.penstock.WindowLimit.Counting;
import io.penstock.algorithm.WindowTrace;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** P10: windows of different lengths under one name, used in turn. */
class WindowsInTurnTest {
  private static final int RUNS = Boolean.getBoolean("penstock.full") ? 500 : 100;

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualClock clock = new ManualClock();
  private final InProcessStore store = InProcessStore.builder().clock(clock).build();

  @Test
  void take_whereTwoWindowsEndOneAfterTheOther_grantsNoMoreThanTheLooserAlone() {
    for (int offset = 0; offset < 2 * 165; offset++) {
      String name = "x" + offset;
      List<RateLimiter> limiters =
          List.of(
              RateLimiter.on(store, name, Limit.fixedWindow(16, SECOND.multipliedBy(15))),
              RateLimiter.on(store, name, Limit.fixedWindow(11, SECOND.multipliedBy(11))));
      int begin = offset / 2;
      clock.set(begin * SECOND.toNanos());
      // From the time at which both limits have been used.
      int granted = 0;
      for (RateLimiter limiter : limiters) {
        granted += limiter.tryAcquire("k") ? 1 : 0;
      }
      for (int i = 0; i < 22; i++) {
        granted += takeAll(limiters.get((i + offset) % 2));
        clock.advance(Duration.ofMillis(100));
      }
      assertThat(granted).as("from %s s on", begin).isLessThanOrEqualTo(32);
    }
  }

  @Test
  void take_underRandomWindowsInTurn_staysWithinWhatOneAloneGrants() {
    Random random = new Random(11);
    for (int run = 0; run < 4 * RUNS; run++) {
      List<WindowLimit> limits = new ArrayList<>();
      List<RateLimiter> limiters = new ArrayList<>();
      int count = 2 + random.nextInt(2);
      for (int i = 0; i < count; i++) {
        Duration length = SECOND.multipliedBy(2 + random.nextInt(14));
        limits.add(Limit.fixedWindow(count + random.nextInt(15), length));
        limiters.add(RateLimiter.on(store, "run" + run, limits.get(i)));
      }
      WindowTrace trace = new WindowTrace(limits);
      for (int i = 0; i < 120; i++) {
        if (limiters.stream().allMatch(limiter -> limiter.peek("k").resetAfter().isZero())) {
          // The key starts over: from the time at which all limits have been used.
          trace.check(0);
          trace = new WindowTrace(limits);
          for (RateLimiter limiter : limiters) {
            assertThat(limiter.tryAcquire("k")).isTrue();
            trace.grant(clock.nanos(), 1);
          }
        }
        int cost = 1 + random.nextInt(3);
        while (limiters.get(random.nextInt(count)).tryAcquire("k", cost)) {
          trace.grant(clock.nanos(), cost);
        }
        clock.advance(Duration.ofMillis(random.nextInt(1_500)));
      }
      trace.check(0);
    }
  }

  @Test
  void retryAfter_underAnotherWindow_isExact() {
    for (Counting kind : Counting.values()) {
      Duration three = SECOND.multipliedBy(3);
      Limit small = new WindowLimit(kind, 3_000, three);
      Limit large = Limit.fixedWindow(16, SECOND.multipliedBy(7));
      for (int offset = 0; offset < 21; offset++) {
        clock.set(Duration.ofMillis(21_700 + offset * 1_000L).toNanos());
        RateLimiter one = RateLimiter.on(store, "x" + kind + offset, small);
        RateLimiter other = RateLimiter.on(store, "x" + kind + offset, large);
        if (offset % 2 == 0) {
          // Otherwise the denial would be the first use of this limit.
          one.take("k");
        }
        assertThat(other.tryAcquire("k", 15)).isTrue();
        Decision denied = one.take("k", 2);
        assertThat(denied.allowed()).isFalse();
        assertThat(denied.retryAfter())
            .as("%s at %s", kind, offset)
            .isLessThanOrEqualTo(SECOND.multipliedBy(15));
        clock.advance(denied.retryAfter().minusNanos(1));
        assertThat(one.tryAcquire("k", 2)).as("%s at %s", kind, offset).isFalse();
        clock.advanceNanos(1);
        assertThat(one.tryAcquire("k", 2)).as("%s at %s", kind, offset).isTrue();
      }
    }
  }

  @Test
  void resetAfter_underAnotherWindow_isWhenNothingCounts() {
    for (Counting kind : Counting.values()) {
      clock.set(Duration.ofMillis(21_700).toNanos());
      RateLimiter small =
          RateLimiter.on(store, "x" + kind, new WindowLimit(kind, 3_000, SECOND.multipliedBy(3)));
      RateLimiter large =
          RateLimiter.on(store, "x" + kind, Limit.fixedWindow(16, SECOND.multipliedBy(14)));
      small.take("k");
      large.take("k", 15);
      Duration reset = small.peek("k").resetAfter();
      clock.advance(reset.minusNanos(1));
      assertThat(small.peek("k").remaining()).as("%s", kind).isLessThan(3);
      clock.advanceNanos(1);
      assertThat(small.peek("k").remaining()).as("%s", kind).isEqualTo(3);
    }
  }

  @Test
  void take_largeLimitOfAShortWindow_blocksASmallOneForTheLongestWindow() {
    RateLimiter small = RateLimiter.on(store, "x", Limit.fixedWindow(5, SECOND));
    RateLimiter large = RateLimiter.on(store, "x", Limit.fixedWindow(1e9, SECOND.multipliedBy(10)));
    small.take("k");
    large.take("k", 999_999_999);
    assertThat(small.take("k").retryAfter()).isEqualTo(SECOND.multipliedBy(11));
  }

  @Test
  void take_windowsThatEndTogether_doNotBlockEachOther() {
    for (Counting kind : Counting.values()) {
      RateLimiter large =
          RateLimiter.on(store, "x" + kind, new WindowLimit(kind, 1_000_000, SECOND));
      RateLimiter small = RateLimiter.on(store, "x" + kind, new WindowLimit(kind, 5_000, SECOND));
      small.take("k");
      large.take("k", 999);
      assertThat(small.tryAcquire("k")).isFalse();
      clock.advance(small.take("k").retryAfter());
      assertThat(small.take("k", 1).allowed()).isTrue();
      clock.advance(SECOND.multipliedBy(2));
      assertThat(small.take("k", 5).allowed()).isTrue();
    }
  }

  @Test
  void log_underAShorterWindow_keepsWhatTheLongerCounts() {
    RateLimiter longer = RateLimiter.on(store, "x", Limit.slidingLog(16, SECOND.multipliedBy(15)));
    RateLimiter shorter = RateLimiter.on(store, "x", Limit.slidingLog(11, SECOND.multipliedBy(11)));
    assertThat(shorter.tryAcquire("k")).isTrue();
    assertThat(takeAll(longer)).isEqualTo(15);
    clock.advance(SECOND.multipliedBy(11));
    assertThat(takeAll(shorter)).isEqualTo(11);
    clock.advance(SECOND.multipliedBy(4));
    assertThat(takeAll(longer)).as("11 of 16 were granted in its window").isEqualTo(5);
    assertThat(longer.take("k").retryAfter()).isEqualTo(SECOND.multipliedBy(11));
  }

  /** Each log counts every grant in its own window, whichever limit granted it. */
  @Test
  void log_underRandomLimitsInTurn_agreesWithAListOfAllGrants() {
    Random random = new Random(13);
    for (int run = 0; run < 500; run++) {
      List<WindowLimit> limits = new ArrayList<>();
      List<RateLimiter> limiters = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Duration length = SECOND.multipliedBy(2 + random.nextInt(6));
        limits.add(Limit.slidingLog(3 + random.nextInt(15), length));
        limiters.add(RateLimiter.on(store, "run" + run, limits.get(i)));
      }
      List<long[]> grants = new ArrayList<>();
      for (int i = 0; i < 150; i++) {
        int which = i < 3 ? i : random.nextInt(3);
        int cost = i < 3 ? 1 : 1 + random.nextInt(3);
        long now = clock.nanos();
        WindowLimit limit = limits.get(which);
        long used = usedIn(limit, grants, now);
        if (i >= 3 && limits.stream().allMatch(other -> usedIn(other, grants, now) == 0)) {
          // The key starts over.
          break;
        }
        boolean fits = used + cost <= limit.burstThousandths() / 1_000;
        assertThat(limiters.get(which).tryAcquire("k", cost)).as("%s", limits).isEqualTo(fits);
        if (fits) {
          grants.add(new long[] {now, cost});
        }
        if (i >= 3) {
          clock.advance(Duration.ofMillis(random.nextInt(3) == 0 ? random.nextInt(1_500) : 0));
        }
      }
    }
  }

  private static long usedIn(WindowLimit limit, List<long[]> grants, long now) {
    long used = 0;
    for (long[] grant : grants) {
      used += now - grant[0] < limit.window().toNanos() ? grant[1] : 0;
    }
    return used;
  }

  /** The counts under one limit, where windows end one by one. */
  private static final class Model {
    private final WindowLimit limit;
    private long index;
    private long total;
    private long previous;

    Model(WindowLimit limit, long now) {
      this.limit = limit;
      this.index = now / length();
    }

    long length() {
      return limit.window().toNanos();
    }

    void advance(long now) {
      for (; index < now / length(); index++) {
        previous = Math.min(total, limit.burstThousandths());
        total -= previous;
      }
    }

    long used(long now) {
      long left = length() - now % length();
      return limit.kind() == Counting.FIXED_WINDOW
          ? total
          : total + (previous * left + length() - 1) / length();
    }

    void count(long cost, Model granting, long longest) {
      long windows = 1;
      if (granting.length() != length()) {
        windows += (longest + length() - 1) / length();
      }
      long max = granting == this ? Long.MAX_VALUE : limit.burstThousandths() * windows;
      total = Math.max(total, Math.min(total + cost, max));
    }
  }

  @Test
  void counters_underRandomLimitsInTurn_agreeWithAModel() {
    Random random = new Random(17);
    for (int run = 0; run < 2 * RUNS; run++) {
      List<RateLimiter> limiters = new ArrayList<>();
      List<Model> models = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Duration length = SECOND.multipliedBy(1 << random.nextInt(5));
        Counting kind =
            random.nextBoolean() ? Counting.FIXED_WINDOW : Counting.SLIDING_WINDOW_COUNTER;
        WindowLimit limit = new WindowLimit(kind, (3 + random.nextInt(15)) * 1_000L, length);
        limiters.add(RateLimiter.on(store, "run" + run, limit));
        models.add(new Model(limit, clock.nanos()));
      }
      long longest = models.stream().mapToLong(Model::length).max().orElseThrow();
      // From the time at which all limits have been used.
      limiters.forEach(limiter -> limiter.take("k"));
      models.forEach(model -> model.total = 3_000);
      for (int i = 0; i < 150; i++) {
        clock.advance(Duration.ofMillis(random.nextInt(3) == 0 ? random.nextInt(1_500) : 0));
        long now = clock.nanos();
        models.forEach(model -> model.advance(now));
        if (models.stream().allMatch(model -> model.used(now) == 0)) {
          // The key starts over.
          break;
        }
        int which = random.nextInt(3);
        Model own = models.get(which);
        long cost = 1_000L * (1 + random.nextInt(3));
        boolean fits = own.used(now) + cost <= own.limit.burstThousandths();
        RateLimiter limiter = limiters.get(which);
        assertThat(limiter.peek("k").remaining())
            .isEqualTo(Math.max(0, own.limit.burstThousandths() - own.used(now)) / 1_000.0);
        assertThat(limiter.tryAcquire("k", cost / 1_000.0)).isEqualTo(fits);
        if (fits) {
          models.forEach(model -> model.count(cost, own, longest));
        }
      }
    }
  }

  private static int takeAll(RateLimiter limiter) {
    int granted = 0;
    while (limiter.tryAcquire("k")) {
      granted++;
    }
    return granted;
  }
}
