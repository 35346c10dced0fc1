package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.RateLimiter;
import io.penstock.algorithm.GoldenVectors;
import io.penstock.algorithm.GoldenVectors.Op;
import io.penstock.algorithm.GoldenVectors.Row;
import io.penstock.algorithm.GoldenWindows;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * P11: the in-process limiter reproduces the golden vectors, with nanoseconds rounded up to their
 * ticks.
 */
class GoldenLimiterTest {
  private static final long TICK = GoldenVectors.TICK_NANOS;

  @TestFactory
  Stream<DynamicTest> limiter_onEveryHonestTraceOfOneLimit_givesTheGoldenAnswers() {
    return GoldenVectors.read().stream()
        .filter(trace -> trace.get(0).name().startsWith("honest"))
        .map(trace -> DynamicTest.dynamicTest(trace.get(0).name(), () -> replay(trace)));
  }

  private static void replay(List<Row> trace) {
    ManualClock clock = new ManualClock(trace.get(0).now() * TICK);
    InProcessStore store = InProcessStore.builder().clock(clock).build();
    RateLimiter limiter = RateLimiter.on(store, "golden", trace.get(0).limit());
    for (Row row : trace) {
      clock.set(row.now() * TICK);
      double cost = row.cost() / 1_000.0;
      if (row.op() == Op.CHARGE) {
        limiter.charge("key", cost);
      } else if (row.op() == Op.REFUND) {
        limiter.refund("key", cost);
      } else {
        Duration maxDelay = Duration.ofNanos(row.maxDelay() * TICK);
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
    }
  }

  @Test
  void limiter_onEveryWindowTrace_givesTheGoldenAnswers() {
    ManualClock clock = new ManualClock();
    InProcessStore store = InProcessStore.builder().clock(clock).build();
    for (GoldenWindows.Row row : GoldenWindows.read()) {
      clock.set(row.now() * TICK);
      RateLimiter limiter = RateLimiter.on(store, row.name(), row.windowLimit());
      Decision decision = limiter.take("key", row.cost() / 1_000.0);
      assertThat(decision.allowed()).as("%s", row).isEqualTo(row.allowed());
      assertThat(decision.remainingThousandths()).as("%s", row).isEqualTo(row.remaining());
      assertThat(ticks(decision.retryAfter())).as("%s", row).isEqualTo(row.retryAfter());
      assertThat(ticks(decision.resetAfter())).as("%s", row).isEqualTo(row.resetAfter());
    }
  }

  private static long ticks(Duration duration) {
    return (duration.toNanos() + TICK - 1) / TICK;
  }
}
