package io.penstock.policy.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CorrectedCountTest {
  private final CorrectedCount count = new CorrectedCount();

  @Test
  void takenBack_isNotCounted() {
    count.increment();
    count.increment();
    count.takeBack();

    assertThat(count.count()).isEqualTo(1);
  }

  @Test
  void takenBack_afterItWasRead_isMadeUpForByTheNext() {
    count.increment();
    assertThat(count.count()).isEqualTo(1);
    count.takeBack();
    assertThat(count.count()).isEqualTo(1);
    count.increment();
    assertThat(count.count()).isEqualTo(1);
    count.increment();
    assertThat(count.count()).isEqualTo(2);
  }
}
