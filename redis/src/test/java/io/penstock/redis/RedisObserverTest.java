package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Reason;
import io.penstock.redis.RedisObserver.Degradation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisObserverTest {
  @ParameterizedTest
  @CsvSource({
    "UNAVAILABLE, store_unavailable",
    "FAILED, store_unavailable",
    "AMBIGUOUS, store_timeout",
    "STARVED, cpu_starved"
  })
  void reason_ofADegradation_isThatOfTheDecision(Degradation why, String code) {
    Reason reason = why.reason();
    assertThat(reason.code()).isEqualTo(code);
    assertThat(reason.isUnavailable()).isTrue();
  }
}
