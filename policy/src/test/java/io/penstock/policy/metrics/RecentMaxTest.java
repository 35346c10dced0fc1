package io.penstock.policy.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecentMaxTest {
  private final RecentMax recent = new RecentMax();

  @Test
  void max_nothingRecorded_isZero() {
    assertThat(recent.max()).isZero();
  }

  @Test
  void max_severalRecorded_isTheLargest() {
    recent.record(0.25);
    recent.record(0.75);
    recent.record(0.5);
    assertThat(recent.max()).isEqualTo(0.75);
  }

  @Test
  void record_negative_countsAsZero() {
    recent.record(-3);
    assertThat(recent.max()).isZero();
  }

  @Test
  void max_afterOneMinute_isKept_andForgottenAPeriodLater() {
    recent.record(0.75);
    for (int period = 1; period <= 3; period++) {
      recent.pass();
      recent.record(0.1);
    }
    assertThat(recent.max()).isEqualTo(0.75);
    recent.pass();
    assertThat(recent.max()).isEqualTo(0.1);
  }
}
