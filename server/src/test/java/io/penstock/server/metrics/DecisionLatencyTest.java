package io.penstock.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.penstock.policy.Verdict;
import org.junit.jupiter.api.Test;

class DecisionLatencyTest {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final DecisionLatency latency = new DecisionLatency(registry);

  @Test
  void scrape_threeDecisions_haveTheirBucketsAndSum() {
    latency.decided(Verdict.UNLIMITED, 1_000);
    latency.decided(Verdict.UNLIMITED, 1_001);
    latency.decided(Verdict.UNLIMITED, 2_000_000_000);
    assertThat(registry.scrape().lines().filter(line -> line.startsWith("penstock_decision_")))
        .contains(
            "penstock_decision_seconds_bucket{le=\"1.0E-6\"} 1",
            "penstock_decision_seconds_bucket{le=\"2.5E-6\"} 2",
            "penstock_decision_seconds_bucket{le=\"0.5\"} 2",
            "penstock_decision_seconds_bucket{le=\"+Inf\"} 3",
            "penstock_decision_seconds_count 3",
            "penstock_decision_seconds_sum 2.000002001");
  }
}
