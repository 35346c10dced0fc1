package io.penstock.redis.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.penstock.redis.RedisObserver.Degradation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoreMetersTest {
  @ParameterizedTest
  @CsvSource({
    "UNAVAILABLE, unavailable",
    "FAILED, failed",
    "AMBIGUOUS, ambiguous",
    "STARVED, starved"
  })
  void degraded_isCountedByItsReason(Degradation why, String label) {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    new StoreMeters(registry).degraded("users", why);

    assertThat(registry.get("penstock.store.degraded").tag("reason", label).counter().count())
        .isEqualTo(1);
    assertThat(registry.get("penstock.store.degraded").counters())
        .filteredOn(counter -> counter.count() > 0)
        .hasSize(1);
  }
}
