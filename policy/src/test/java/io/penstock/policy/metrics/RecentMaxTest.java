package io.penstock.policy.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecentMaxTest {
  private final RecentMax most = new RecentMax();

  @Test
  void most_nothingSeen_isZero() {
    assertThat(most.most()).isZero();
  }

  @Test
  void most_someSeen_isTheLargest() {
    most.saw(0.25);
    most.saw(0.75);
    most.saw(0.5);
    assertThat(most.most()).isEqualTo(0.75);
  }

  @Test
  void saw_lessThanNothing_countsAsNothing() {
    most.saw(-3);
    assertThat(most.most()).isZero();
  }

  @Test
  void most_aMinuteLater_isStillThere_andAPeriodMoreForgotten() {
    most.saw(0.75);
    for (int period = 1; period <= 3; period++) {
      most.pass();
      most.saw(0.1);
    }
    assertThat(most.most()).isEqualTo(0.75);
    most.pass();
    assertThat(most.most()).isEqualTo(0.1);
  }
}
