package io.penstock.policy.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.jwt.JwtObserver;
import io.penstock.policy.jwt.KeyFailure;
import io.penstock.policy.jwt.TokenCheck;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counts rejected tokens and failed key fetches. Thread-safe. */
public final class JwtMeters implements JwtObserver {
  private final Map<TokenCheck.Result, Counter> rejected = new EnumMap<>(TokenCheck.Result.class);
  private final Map<KeyFailure, Counter> failures = new EnumMap<>(KeyFailure.class);

  public JwtMeters(MeterRegistry registry) {
    for (TokenCheck.Result result : TokenCheck.Result.values()) {
      if (result.isRejection()) {
        rejected.put(
            result,
            Counter.builder("penstock.jwt.rejected")
                .description("Rejected tokens")
                .tag("reason", result.code())
                .register(registry));
      }
    }
    for (KeyFailure failure : KeyFailure.values()) {
      failures.put(
          failure,
          Counter.builder("penstock.jwt.fetch.failures")
              .description("Failed attempts to fetch token keys")
              .tag("reason", failure.code())
              .register(registry));
    }
  }

  /** Registers gauges for the keys of an engine. */
  public static void watch(PolicyEngine engine, MeterRegistry registry) {
    Gauge.builder("penstock.jwt.keys", () -> engine.jwt().status().keys())
        .description("Active keys for verifying tokens")
        .register(registry);
    Gauge.builder("penstock.jwt.keys.age.seconds", () -> engine.jwt().keysAge().toMillis() / 1e3)
        .description("Seconds since the token keys were last known to be current")
        .register(registry);
  }

  @Override
  public void rejected(TokenCheck.Result reason) {
    increment(rejected.get(reason));
  }

  @Override
  public void fetchFailed(KeyFailure reason) {
    increment(failures.get(reason));
  }

  private static void increment(@Nullable Counter counter) {
    if (counter != null) {
      counter.increment();
    }
  }
}
