package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.redis.RedisObserver.Degradation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MultiSlotReasonTest {
  @ParameterizedTest
  @CsvSource({
    "STARVED, FAILED, STARVED",
    "STARVED, UNAVAILABLE, STARVED",
    "AMBIGUOUS, STARVED, AMBIGUOUS",
    "AMBIGUOUS, UNAVAILABLE, AMBIGUOUS",
    "FAILED, UNAVAILABLE, FAILED",
    "FAILED, FAILED, FAILED"
  })
  void moreSignificant_slotsWithDifferentReasons_doesNotDependOnTheirOrder(
      Degradation one, Degradation other, Degradation expected) {
    assertThat(MultiSlotRequest.moreSignificant(one, other)).isEqualTo(expected);
    assertThat(MultiSlotRequest.moreSignificant(other, one)).isEqualTo(expected);
  }

  @Test
  void moreSignificant_firstReason_isKept() {
    assertThat(MultiSlotRequest.moreSignificant(null, Degradation.STARVED))
        .isEqualTo(Degradation.STARVED);
  }
}
