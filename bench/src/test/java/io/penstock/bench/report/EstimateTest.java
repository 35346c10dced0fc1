package io.penstock.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Collections;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class EstimateTest {
  @Test
  void of_fewRounds_hasTheMedianAndTheirRange() {
    assertThat(Estimate.of(List.of(3.0, 1.0, 2.0))).isEqualTo(new Estimate(2, 1, 3));
    assertThat(Estimate.of(List.of(4.0, 2.0)).value()).isEqualTo(3);
  }

  @Test
  void of_manyRounds_ignoresAnOutlier() {
    List<Double> rounds =
        DoubleStream.concat(
                DoubleStream.iterate(1, value -> value + 0.01).limit(20), DoubleStream.of(100))
            .boxed()
            .toList();
    Estimate estimate = Estimate.of(rounds);

    assertThat(estimate.value()).isCloseTo(1.1, within(1e-9));
    assertThat(estimate.low()).isBetween(1.0, 1.1);
    assertThat(estimate.high()).isBetween(1.1, 1.2);
    assertThat(estimate).isEqualTo(Estimate.of(rounds));
  }

  @Test
  void of_oneRound_hasNoInterval() {
    assertThat(Estimate.of(List.of(7.0))).isEqualTo(Estimate.exact(7));
    assertThat(Estimate.exact(7).hasInterval()).isFalse();
    assertThatThrownBy(() -> Estimate.of(Collections.emptyList()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void ofRatios_comparesRoundByRound() {
    // The second round was disturbed on both sides.
    Estimate estimate = Estimate.ofRatios(List.of(10.0, 1.0, 12.0), List.of(5.0, 0.5, 6.0, 9.0));

    assertThat(estimate).isEqualTo(new Estimate(2, 2, 2));
  }
}
