package io.penstock.bench.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import org.junit.jupiter.api.Test;

class LatenciesTest {
  private final Latencies latencies = new Latencies();

  @Test
  void micros_ofAnyMagnitude_isWithinOnePercent() {
    for (long nanos = 1; nanos <= 60_000_000_000L; nanos = nanos * 5 / 3 + 1) {
      Latencies one = new Latencies();
      one.add(nanos);
      assertThat(one.micros(50)).isCloseTo(nanos / 1e3, withinPercentage(1));
    }
  }

  @Test
  void micros_ofPercentiles_countsRequests() {
    for (int i = 1; i <= 1_000; i++) {
      latencies.add(1_000L * i);
    }
    assertThat(latencies.micros(50)).isCloseTo(500, withinPercentage(1));
    assertThat(latencies.micros(99)).isCloseTo(990, withinPercentage(1));
    assertThat(latencies.micros(99.9)).isCloseTo(999, withinPercentage(1));
  }

  @Test
  void plus_others_leavesBothUnchanged() {
    latencies.add(10_000);
    Latencies others = new Latencies();
    others.add(5_000_000_000L);
    others.add(20_000_000_000L);

    Latencies sum = latencies.plus(others);

    assertThat(sum.count()).isEqualTo(3);
    assertThat(sum.micros(50)).isCloseTo(5e6, withinPercentage(1));
    assertThat(latencies.count()).isEqualTo(1);
    assertThat(others.count()).isEqualTo(2);
  }

  @Test
  void ofWord_word_isEqual() {
    latencies.add(80_000);
    latencies.add(5_000_000);
    latencies.add(5_000_000);
    assertThat(latencies.toWord()).doesNotContain(" ");
    assertThat(Latencies.ofWord(latencies.toWord())).isEqualTo(latencies);
    assertThat(Latencies.ofWord(new Latencies().toWord()).count()).isZero();
  }
}
