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

  @Test
  void percentiles_nothingDecided_areNull() {
    latency.decided(Verdict.UNLIMITED, 1_000);
    long[] counts = latency.counts();
    assertThat(LatencyHistogram.percentiles(counts, latency.counts())).isNull();
  }

  @Test
  void percentiles_ofDecisionsSince_areInterpolatedWithinBuckets() {
    latency.decided(Verdict.UNLIMITED, 400_000_000);
    long[] before = latency.counts();
    for (int i = 0; i < 90; i++) {
      latency.decided(Verdict.UNLIMITED, 7_000);
    }
    for (int i = 0; i < 10; i++) {
      latency.decided(Verdict.UNLIMITED, 2_000_000);
    }
    LatencyPercentiles since = LatencyHistogram.percentiles(before, latency.counts());
    assertThat(since.p50Micros()).isBetween(5.0, 10.0);
    assertThat(since.p99Micros()).isBetween(1_000.0, 2_500.0);
  }

  @Test
  void percentiles_aboveTheLastBound_areThatBound() {
    long[] before = latency.counts();
    latency.decided(Verdict.UNLIMITED, 2_000_000_000);
    assertThat(LatencyHistogram.percentiles(before, latency.counts()))
        .isEqualTo(new LatencyPercentiles(500_000, 500_000));
  }

  @Test
  void decided_rejectedPath_isCounted() {
    latency.decided(Verdict.UNLIMITED, 1);
    latency.decided(Verdict.PATH_REJECTED, 1);
    assertThat(latency.rejectedPaths()).isEqualTo(1);
  }
}
