package io.penstock.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RatioTest {
  @Test
  void toString_ratio_hasTwoDecimals() {
    assertThat(Ratio.of("local.hot.bucket4j", 8.4249)).hasToString("RATIO local.hot.bucket4j 8.42");
    assertThat(Ratio.of("local.hot.bucket4j", new Estimate(8.4249, 7, 9.999)))
        .hasToString("RATIO local.hot.bucket4j 8.42 7.00..10.00");
  }

  @Test
  void bytesPerOp_noise_isZero() {
    assertThat(Ratio.bytesPerOp("local.alloc", 0.0099)).hasToString("RATIO local.alloc 0");
    assertThat(Ratio.bytesPerOp("local.alloc", 0.01)).hasToString("RATIO local.alloc 0.010");
    assertThat(Ratio.bytesPerOp("local.alloc", 24)).hasToString("RATIO local.alloc 24.000");
  }
}
