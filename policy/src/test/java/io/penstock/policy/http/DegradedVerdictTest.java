package io.penstock.policy.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.penstock.Limit;
import io.penstock.Reason;
import io.penstock.policy.Outcome;
import io.penstock.policy.metrics.DecisionMeters;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The header and the metric of a decision have the reason why the store did not make it. */
class DegradedVerdictTest {
  @ParameterizedTest
  @CsvSource({
    "STORE_UNAVAILABLE, store_unavailable",
    "STORE_TIMEOUT, store_timeout",
    "CPU_STARVED, cpu_starved",
    "JWT_KEYS_UNAVAILABLE, jwt_keys_unavailable"
  })
  void verdict_degraded_hasItsReasonInHeaderAndMetric(Reason why, String code) {
    Limited users = new Limited("users", Limit.perSecond(1).burst(10));
    Outcome outcome = users.outcome(1_000, users.take(1_000).decision().asDegraded(why));
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    new DecisionMeters(registry).decided(outcome);
    List<String> headers = new ArrayList<>();
    new VerdictResponses(HeaderFormat.NONE, Jitter.NONE)
        .headers(Limited.verdict(outcome), (name, value) -> headers.add(name + ": " + value));

    assertThat(headers).containsExactly("Penstock-Degraded: " + code);
    assertThat(
            registry
                .get("penstock.degraded")
                .tag("rule", "users")
                .tag("reason", code)
                .counter()
                .count())
        .isEqualTo(1);
  }
}
