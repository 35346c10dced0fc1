package io.penstock.bench.contest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.penstock.bench.contest.Entry.Repetition;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StandingsTest {
  private static final Row ROW = new Row("hot key, denied", ExpectedOutcome.DENIED, 2);
  private static final Entry OURS = entry("ours");
  private static final Entry THEIRS = entry("theirs");
  private static final Entry OTHERS = entry("others");

  private final Standings standings =
      new Standings(
          new LinkedHashMap<>(
              Map.of(
                  OURS, score(60e6, 10e6, 30e6),
                  THEIRS, score(5e6, 7e6),
                  OTHERS, score(2e6, 3e6, 100e6))));

  @Test
  void ratio_severalPeers_comparesRoundsWithTheFastest() {
    // The first two rounds, which both have.
    assertThat(standings.ratio(OURS, THEIRS, OTHERS).value())
        .isCloseTo((60.0 / 5 + 10.0 / 7) / 2, within(1e-9));
  }

  @Test
  void tables_oneRow_showMedianRangeAndTimePerThread() {
    assertThat(standings.tables()).hasSize(1);
    assertThat(standings.tables().get(0).toString().lines())
        .startsWith("hot key, denied, 2 threads")
        .anyMatch(line -> line.matches(" +ours +30\\.00 +10\\.00\\.\\.60\\.00 +66\\.7 +8\\.0 +3"));
  }

  @Test
  void check_otherOutcome_fails() {
    ROW.outcome().check(OURS, new Sample(1, 0, 1, 999));
    assertThatThrownBy(() -> ROW.outcome().check(OURS, new Sample(1, 0, 2, 998)))
        .isInstanceOf(FailedRunException.class)
        .hasMessage(
            "hot key, denied, 2 threads: ours: 998 of 1000 decisions were DENIED, less than 99.9 %");
  }

  private static Entry entry(String contender) {
    return new Entry(ROW, contender, "io.penstock.Some.method", Map.of(), Repetition.DECISIVE);
  }

  private static Score score(double... opsPerSecond) {
    return new Score(
        Arrays.stream(opsPerSecond).mapToObj(ops -> new Sample(ops, 8, 0, 1000)).toList());
  }
}
