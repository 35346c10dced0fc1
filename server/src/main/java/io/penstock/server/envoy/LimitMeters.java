package io.penstock.server.envoy;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** Counts the requests of Envoy. Thread-safe. */
final class LimitMeters {
  private final Counter allowed;
  private final Counter denied;
  private final Counter invalid;
  private final Counter failed;
  private final Counter unmatched;
  private final Counter reloads;
  private final Counter rejectedReloads;

  LimitMeters(MeterRegistry registry) {
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

  void decided(boolean isAllowed) {
    (isAllowed ? allowed : denied).increment();
  }

  void invalid() {
    invalid.increment();
  }

  void failed() {
    failed.increment();
  }

  void unmatched() {
    unmatched.increment();
  }

  void reloaded(boolean isAccepted) {
    (isAccepted ? reloads : rejectedReloads).increment();
  }
}
