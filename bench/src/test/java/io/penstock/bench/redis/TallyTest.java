package io.penstock.bench.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TallyTest {
  @Test
  void ofLine_line_isEqual() {
    Tally tally = new Tally(1, 2, 3, 4_000, new Usage(5, 6), latencies(80_000, 5_000_000));
    assertThat(Tally.ofLine(tally.toLine())).isEqualTo(tally);
    assertThat(Tally.ofLine(Tally.NOTHING.toLine())).isEqualTo(Tally.NOTHING);
  }

  @Test
  void plus_other_addsUpAllButTheDuration() {
    Tally one = new Tally(1, 2, 3, 4_000, new Usage(5, 6), latencies(80_000));
    Tally other = new Tally(10, 20, 30, 3_000, new Usage(50, 60), latencies(5_000_000));
    assertThat(one.plus(other))
        .isEqualTo(new Tally(11, 22, 33, 4_000, new Usage(55, 66), latencies(80_000, 5_000_000)));
  }

  private static Latencies latencies(long... nanos) {
    Latencies latencies = new Latencies();
    for (long each : nanos) {
      latencies.add(each);
    }
    return latencies;
  }
}
