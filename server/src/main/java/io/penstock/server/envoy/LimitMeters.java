package io.penstock.server.envoy;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.penstock.server.envoy.LimitStatistics.ServiceEvent;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/** Counts the requests of Envoy. Thread-safe. */
final class LimitMeters {
  private static final Duration[] RESPONSE_TIMES =
      LongStream.of(1, 2, 5, 10, 20, 50, 100, 250, 1_000)
          .mapToObj(Duration::ofMillis)
          .toArray(Duration[]::new);

  private final LimitStatistics statistics = new LimitStatistics();
  private final Timer responseTime;
  private final Counter allowed;
  private final Counter denied;
  private final Counter invalid;
  private final Counter failed;
  private final Counter unmatched;
  private final Counter reloads;
  private final Counter rejectedReloads;

  LimitMeters(MeterRegistry registry) {
    if (registry instanceof PrometheusMeterRegistry prometheus) {
      prometheus.getPrometheusRegistry().register(statistics);
    }
    this.responseTime =
        Timer.builder("ratelimit.service.response.time")
            .description("The time in which requests of Envoy were decided")
            .tag("grpc_method", "ShouldRateLimit")
            .serviceLevelObjectives(RESPONSE_TIMES)
            .register(registry);
    this.allowed = requests("ok", registry);
    this.denied = requests("over_limit", registry);
    this.invalid = requests("invalid", registry);
    this.failed = requests("failed", registry);
    this.unmatched =
        Counter.builder("penstock.envoy.unmatched")
            .description("Requests of Envoy to which no configured limit applied")
            .register(registry);
    this.reloads = reloads("accepted", registry);
    this.rejectedReloads = reloads("rejected", registry);
  }

  private static Counter requests(String outcome, MeterRegistry registry) {
    return Counter.builder("penstock.envoy.requests")
        .description("Requests of Envoy to the rate limit service")
        .tag("outcome", outcome)
        .register(registry);
  }

  private static Counter reloads(String outcome, MeterRegistry registry) {
    return Counter.builder("penstock.envoy.reloads")
        .description("Changes of the configuration for Envoy since the start")
        .tag("outcome", outcome)
        .register(registry);
  }

  /** Returns the statistics under the names of envoyproxy/ratelimit. */
  LimitStatistics statistics() {
    return statistics;
  }

  /**
   * @param claims with their outcomes
   * @param nanos the time that the decision took
   */
  void decided(boolean isAllowed, boolean isDegraded, List<BucketClaim> claims, long nanos) {
    (isAllowed ? allowed : denied).increment();
    responseTime.record(nanos, TimeUnit.NANOSECONDS);
    statistics.count(ServiceEvent.REQUEST);
    statistics.count(claims);
    if (isDegraded) {
      statistics.count(ServiceEvent.REDIS_ERROR);
    }
  }

  void invalid() {
    invalid.increment();
    statistics.count(ServiceEvent.SERVICE_ERROR);
  }

  void failed() {
    failed.increment();
    statistics.count(ServiceEvent.SERVICE_ERROR);
  }

  /** Counts a request that was allowed only because the whole configuration denies nothing. */
  void allowedByShadow() {
    statistics.count(ServiceEvent.GLOBAL_SHADOW_MODE);
  }

  void unmatched() {
    unmatched.increment();
  }

  void reloaded(boolean isAccepted) {
    (isAccepted ? reloads : rejectedReloads).increment();
    statistics.count(
        isAccepted ? ServiceEvent.CONFIG_LOAD_SUCCESS : ServiceEvent.CONFIG_LOAD_ERROR);
  }
}
