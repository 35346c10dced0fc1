package io.penstock.server.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.distribution.TimeWindowMax;
import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.policy.Mode;
import io.penstock.policy.Outcome;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** The figures of one rule, or of all rules beyond those that are counted singly. Thread-safe. */
final class RuleMeters {
  private static final long WINDOW_MILLIS = 20_000;
  private static final int WINDOWS = 3;

  private final Map<Mode, Counter> allowed = new EnumMap<>(Mode.class);
  private final Map<Mode, Counter> denied = new EnumMap<>(Mode.class);
  private final Map<FailurePolicy, Counter> degraded = new EnumMap<>(FailurePolicy.class);
  private final TimeWindowMax used;

  RuleMeters(String rule, MeterRegistry registry) {
    for (Mode mode : new Mode[] {Mode.ENFORCE, Mode.SHADOW}) {
      allowed.put(mode, decisions(rule, mode, "allowed", registry));
      denied.put(mode, decisions(rule, mode, "denied", registry));
    }
    for (FailurePolicy policy : FailurePolicy.values()) {
      degraded.put(
          policy,
          Counter.builder("penstock.degraded")
              .description("Decisions that a failure policy made because the store could not")
              .tag("rule", rule)
              .tag("reason", policy.name().toLowerCase(Locale.ROOT))
              .register(registry));
    }
    this.used = new TimeWindowMax(registry.config().clock(), WINDOW_MILLIS, WINDOWS);
    Gauge.builder("penstock.used.ratio", used, TimeWindowMax::poll)
        .description("The largest share of a burst that was used up in the last minute")
        .tag("rule", rule)
        .register(registry);
  }

  private static Counter decisions(String rule, Mode mode, String outcome, MeterRegistry registry) {
    return Counter.builder("penstock.decisions")
        .description("Decisions of rules")
        .tag("rule", rule)
        .tag("mode", mode.code())
        .tag("outcome", outcome)
        .register(registry);
  }

  void count(Outcome outcome) {
    Decision decision = outcome.decision();
    Counter counter = (decision.allowed() ? allowed : denied).get(outcome.mode());
    if (counter != null) {
      counter.increment();
    }
    if (decision.degraded()) {
      Counter failures = degraded.get(outcome.rule().handling().onFailure());
      if (failures != null) {
        failures.increment();
      }
    } else {
      double burst = decision.limit().burstThousandths();
      used.record(Math.min(1, 1 - decision.remainingThousandths() / burst));
    }
  }
}
