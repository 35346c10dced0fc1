package io.penstock.bench.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.penstock.bench.contest.FailedRunException;
import io.penstock.bench.report.Curves.Curve;
import io.penstock.bench.report.Curves.Point;
import io.penstock.bench.report.RunLog;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadingsTest {
  private static final Cell CELL = new Cell(Workload.HOT_KEY, 64);

  private final Readings readings = new Readings(RunLog.none(), "");

  @Test
  void ratio_isTheMedianOfTheRounds() {
    for (long nanos : new long[] {900, 100, 200}) {
      readings.add(CELL, RedisContender.PENSTOCK, reading(new Tally(100, 0, 0, nanos)));
    }
    for (long nanos : new long[] {4_500, 400, 1_000}) {
      readings.add(CELL, RedisContender.BUCKET4J, reading(new Tally(100, 0, 0, nanos)));
    }
    assertThat(readings.ratio(CELL, RedisContender.PENSTOCK, RedisContender.BUCKET4J).value())
        .isCloseTo(5, within(1e-9));
  }

  @Test
  void plot_showsOneWorkloadByCallers() {
    Cell more = new Cell(Workload.HOT_KEY, 256);
    Cell others = new Cell(Workload.PER_USER, 64);
    readings.add(CELL, RedisContender.PENSTOCK, reading(new Tally(100, 0, 0, 1_000)));
    readings.add(more, RedisContender.PENSTOCK, reading(new Tally(100, 0, 0, 500)));
    readings.add(others, RedisContender.PENSTOCK, reading(new Tally(100, 0, 0, 9_000)));
    assertThat(readings.plot("hot", Workload.HOT_KEY).curves())
        .containsExactly(new Curve("Penstock", List.of(new Point(64, 1e8), new Point(256, 2e8))));
  }

  @Test
  void add_denied_fails() {
    assertThatThrownBy(
            () -> readings.add(CELL, RedisContender.PENSTOCK, reading(new Tally(998, 2, 0, 1_000))))
        .isInstanceOf(FailedRunException.class)
        .hasMessage(
            "hot_key, 64 callers, Penstock: 998 of 1000 decisions were ALLOWED, less than 99.9 %");
  }

  @Test
  void add_gaveUp_failsUnlessTheContenderMay() {
    Reading half = reading(new Tally(50, 0, 50, 1_000));
    readings.add(CELL, RedisContender.WATCH_MULTI_EXEC, half);
    assertThatThrownBy(() -> readings.add(CELL, RedisContender.BUCKET4J, half))
        .isInstanceOf(FailedRunException.class);
  }

  private static Reading reading(Tally tally) {
    return new Reading(tally, 1, 1, 1, 1);
  }
}
