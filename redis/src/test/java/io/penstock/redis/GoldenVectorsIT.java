package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.RateLimiter;
import io.penstock.algorithm.GoldenVectors;
import io.penstock.algorithm.GoldenVectors.Op;
import io.penstock.algorithm.GoldenVectors.Row;
import io.penstock.algorithm.GoldenWindows;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** P11: the script reproduces the golden vectors. */
class GoldenVectorsIT {
  private static RedisProcess redis;
  private static ScriptTime time;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
    time = new ScriptTime(redis);
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @TestFactory
  Stream<DynamicTest> script_onEveryTrace_givesTheGoldenAnswers() {
    return GoldenVectors.read().stream()
        .map(GoldenVectorsIT::untilTheClockStepsBack)
        .map(trace -> DynamicTest.dynamicTest(trace.get(0).name(), () -> replay(trace)));
  }

  /** On Redis a step back keeps the level, unlike in process: see ClockStepIT. */
  private static List<Row> untilTheClockStepsBack(List<Row> trace) {
    for (int i = 1; i < trace.size(); i++) {
      if (trace.get(i).now() < trace.get(i - 1).now()) {
        return trace.subList(0, i);
      }
    }
    return trace;
  }

  private static void replay(List<Row> trace) {
    time.set(trace.get(0).now());
    try (RedisStore store = time.store(redis, false)) {
      RateLimiter limiter = RateLimiter.on(store, "golden", trace.get(0).limit());
      // A trace starts with a full bucket; Redis has no state of an unused one.
      limiter.charge("key", 0.001);
      limiter.refund("key", 0.001);
      for (Row row : trace) {
        time.set(row.now());
        if (!limiter.limit().equals(row.limit())) {
          limiter.replaceLimit(row.limit());
        }
        double cost = row.cost() / 1_000.0;
        if (row.op() == Op.CHARGE) {
          limiter.charge("key", cost);
        } else if (row.op() == Op.REFUND) {
          limiter.refund("key", cost);
        } else {
          check(row, limiter, cost);
        }
      }
    }
  }

  private static void check(Row row, RateLimiter limiter, double cost) {
    Duration maxDelay = Duration.ofNanos(row.maxDelay() * Ticks.NANOS);
    Decision decision = RateLimiter.all(limiter.at("key", cost).within(maxDelay)).take();
    assertThat(decision.allowed()).as("%s", row).isEqualTo(row.allowed());
    assertThat(decision.neverAllowed()).as("%s", row).isEqualTo(row.neverAllowed());
    assertThat(decision.remainingThousandths()).as("%s", row).isEqualTo(row.remaining());
    assertThat(ticks(decision.resetAfter())).as("%s", row).isEqualTo(row.resetAfter());
    assertThat(ticks(decision.delay())).as("%s", row).isEqualTo(row.delay());
    assertThat(row.neverAllowed() ? 0 : ticks(decision.retryAfter()))
        .as("%s", row)
        .isEqualTo(row.retryAfter());
  }

  @Test
  void script_onEveryWindowTrace_givesTheGoldenAnswers() {
    try (RedisStore store = time.store(redis, false)) {
      for (GoldenWindows.Row row : GoldenWindows.read()) {
        if (!row.isCommon()) {
          continue;
        }
        time.set(row.now());
        RateLimiter limiter = RateLimiter.on(store, row.name(), row.windowLimit());
        Decision decision = limiter.take("key", row.cost() / 1_000.0);
        assertThat(decision.allowed()).as("%s", row).isEqualTo(row.allowed());
        assertThat(decision.remainingThousandths()).as("%s", row).isEqualTo(row.remaining());
        assertThat(ticks(decision.retryAfter())).as("%s", row).isEqualTo(row.retryAfter());
        assertThat(ticks(decision.resetAfter())).as("%s", row).isEqualTo(row.resetAfter());
      }
    }
  }

  private static long ticks(Duration duration) {
    return duration.toNanos() / Ticks.NANOS;
  }
}
