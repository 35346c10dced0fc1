package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.redis.WindowGrants.Slice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reports of what a node has granted from a window without Redis. */
class WindowReportIT {
  private static final Duration LENGTH = Duration.ofSeconds(8);
  private static final long LENGTH_MICROS = 8_000_000;
  private static final long SECOND = 1_000_000;

  /** The start of a window. */
  private static final long START = ScriptTime.START / LENGTH_MICROS * LENGTH_MICROS;

  private static RedisProcess redis;
  private static ScriptTime time;

  private RedisStore store;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
    time = new ScriptTime(redis);
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @BeforeEach
  void open() {
    time.clear();
    time.set(START);
    store = time.store(redis, false);
  }

  @AfterEach
  void everyKeyEnds() {
    assertThat(redis.keysWithoutTtl()).isEmpty();
    store.close();
  }

  private void report(RateLimiter limiter, Slice... slices) {
    RedisClaim claim = ((RedisBuckets) limiter.at("k").buckets()).claim("k", 0, 0);
    PendingRequest report =
        new PendingRequest(
            Operation.RAISE_DEBT,
            List.of(claim),
            System.nanoTime() + TimeUnit.MINUTES.toNanos(1),
            WindowGrants.arguments(List.of(slices)));
    assertThat(store.dispatcher().executeAsync(report).toCompletableFuture().join().degraded())
        .isFalse();
  }

  private static double remaining(RateLimiter limiter) {
    return limiter.peek("k").remaining();
  }

  @Test
  void report_fixedWindow_raisesItsCountOnce() {
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.fixedWindow(10, LENGTH));
    limiter.take("k", 2);
    for (int times = 0; times < 2; times++) {
      report(limiter, new Slice(START - LENGTH_MICROS, 9_000), new Slice(START, 5_000));
      assertThat(remaining(limiter)).isEqualTo(5);
    }
    report(limiter, new Slice(START, 4_000));
    assertThat(remaining(limiter)).as("never lowered").isEqualTo(5);
    report(limiter, new Slice(START, 99_000));
    assertThat(remaining(limiter)).isZero();
    time.set(START + LENGTH_MICROS);
    report(limiter, new Slice(START, 5_000));
    assertThat(remaining(limiter)).as("next window").isEqualTo(10);
  }

  @Test
  void report_slidingCounter_raisesBothCounts() {
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.slidingWindow(10, LENGTH));
    limiter.take("k", 1);
    time.set(START + LENGTH_MICROS + LENGTH_MICROS / 2);
    for (int times = 0; times < 2; times++) {
      report(limiter, new Slice(START, 4_000), new Slice(START + LENGTH_MICROS, 1_000));
      assertThat(remaining(limiter)).as("half of 4, and 1").isEqualTo(7);
    }
    time.set(START + 2 * LENGTH_MICROS);
    assertThat(remaining(limiter)).isEqualTo(9);
  }

  @Test
  void report_slidingLog_insertsGrantsAtTheirTimes() {
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.slidingLog(10, LENGTH));
    time.set(START + 2 * SECOND);
    limiter.take("k", 3);
    time.set(START + 4 * SECOND);
    for (int times = 0; times < 2; times++) {
      report(
          limiter,
          new Slice(START, 4_000),
          new Slice(START + SECOND, 2_000),
          new Slice(START + 3 * SECOND, 1_000));
      assertThat(remaining(limiter)).as("7 by this node are more than 3").isEqualTo(3);
    }
    time.set(START + 8 * SECOND);
    assertThat(remaining(limiter)).as("from 1 s on: 3 and nothing").isEqualTo(6);
    time.set(START + 10 * SECOND);
    assertThat(remaining(limiter)).as("from 3 s on: 1").isEqualTo(9);
    time.set(START + 11 * SECOND);
    assertThat(remaining(limiter)).isEqualTo(10);
  }

  @Test
  void report_slidingLogExpired_changesNothing() {
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.slidingLog(10, LENGTH));
    time.set(START + LENGTH_MICROS);
    report(limiter, new Slice(START, 4_000));
    assertThat(remaining(limiter)).isEqualTo(10);
  }

  private record Entry(long micros, long thousandths) {}

  /** The entries of a log, in any order. */
  private static final class LogModel {
    private static final long CAPACITY = 50_000;
    private final List<Entry> entries = new ArrayList<>();

    long since(long micros) {
      return entries.stream()
          .filter(entry -> entry.micros >= micros)
          .mapToLong(Entry::thousandths)
          .sum();
    }

    void raise(List<Slice> slices, long now) {
      long granted = 0;
      for (int i = slices.size() - 1; i >= 0; i--) {
        long from = slices.get(i).startMicros();
        granted = Math.min(CAPACITY, granted + slices.get(i).thousandths());
        if (granted > since(from) && now - from < LENGTH_MICROS) {
          entries.add(new Entry(from, granted - since(from)));
        }
      }
    }
  }

  @Test
  void report_randomLogs_followTheModel() {
    Random random = new Random(27);
    Limit limit = Limit.slidingLog(LogModel.CAPACITY / 1_000.0, LENGTH);
    for (int run = 0; run < 20; run++) {
      time.set(START);
      RateLimiter limiter = RateLimiter.on(store, "run" + run, limit);
      LogModel model = new LogModel();
      for (int step = 0; step < 40; step++) {
        time.set(time.micros() + random.nextInt(1_500_000));
        if (random.nextInt(4) == 0) {
          List<Slice> slices =
              random
                  .longs(1 + random.nextInt(9), time.micros() - 10 * SECOND, time.micros())
                  .sorted()
                  .mapToObj(micros -> new Slice(micros, 1_000L * (1 + random.nextInt(8))))
                  .sorted(Comparator.comparingLong(Slice::startMicros))
                  .toList();
          report(limiter, slices.toArray(new Slice[0]));
          model.raise(slices, time.micros());
        } else {
          int cost = 1 + random.nextInt(6);
          if (limiter.tryAcquire("k", cost)) {
            model.entries.add(new Entry(time.micros(), 1_000L * cost));
          }
        }
        long used = model.since(time.micros() - LENGTH_MICROS + 1);
        assertThat(remaining(limiter))
            .as("run %s, step %s", run, step)
            .isEqualTo(Math.max(0, LogModel.CAPACITY - used) / 1_000.0);
      }
    }
  }
}
