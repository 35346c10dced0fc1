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

/** Counts tokens that are rejected, and attempts to fetch their keys that fail. Thread-safe. */
public final class JwtMeters implements JwtObserver {
  private final Map<TokenCheck.Result, Counter> rejected = new EnumMap<>(TokenCheck.Result.class);
  private final Map<KeyFailure, Counter> failures = new EnumMap<>(KeyFailure.class);

  public JwtMeters(MeterRegistry registry) {
    for (TokenCheck.Result result : TokenCheck.Result.values()) {
      if (result.isRejection()) {
        rejected.put(
            result,
            Counter.builder("penstock.jwt.rejected")
                .description("Tokens that don't count")
                .tag("reason", result.code())
                .register(registry));
      }
    }
    for (KeyFailure failure : KeyFailure.values()) {
      failures.put(
          failure,
          Counter.builder("penstock.jwt.fetch.failures")
              .description("Attempts to fetch the keys of tokens that failed")
              .tag("reason", failure.code())
              .register(registry));
    }
  }

  /** Shows the keys that an engine has. */
  public static void watch(PolicyEngine engine, MeterRegistry registry) {
    Gauge.builder("penstock.jwt.keys", () -> engine.jwt().status().keys())
        .description("Keys that tokens are verified with")
        .register(registry);
    Gauge.builder("penstock.jwt.keys.age.seconds", () -> engine.jwt().keysAge().toMillis() / 1e3)
        .description("The time since these were last found to be current")
        .register(registry);
  }

  @Override
  public void rejected(TokenCheck.Result why) {
    increment(rejected.get(why));
  }

  @Override
  public void fetchFailed(KeyFailure why) {
    increment(failures.get(why));
  }

  private static void increment(@Nullable Counter counter) {
    if (counter != null) {
      counter.increment();
    }
  }
}
