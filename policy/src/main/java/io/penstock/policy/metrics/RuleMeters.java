package io.penstock.policy.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.Decision;
import io.penstock.Reason;
import io.penstock.policy.Mode;
import io.penstock.policy.Outcome;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The meters of one rule, or of all rules without their own meters. Thread-safe. */
final class RuleMeters {
  private static final String DECISIONS = "penstock.decisions";
  private static final String DECISIONS_DESCRIPTION = "Decisions of rules";

  private final CorrectedCount allowed = new CorrectedCount();
  private final Counter denied;
  private final Counter shadowAllowed;
  private final Counter shadowDenied;
  private final String rule;
  private final MeterRegistry registry;
  private final Map<Reason, Counter> degraded = new ConcurrentHashMap<>();
  private final RecentMax used = new RecentMax();

  RuleMeters(String rule, MeterRegistry registry) {
    this.rule = rule;
    this.registry = registry;
    FunctionCounter.builder(DECISIONS, allowed, CorrectedCount::count)
        .description(DECISIONS_DESCRIPTION)
        .tags("rule", rule, "mode", Mode.ENFORCE.code(), "outcome", "allowed")
        .register(registry);
    this.denied = decisions(rule, Mode.ENFORCE, "denied", registry);
    this.shadowAllowed = decisions(rule, Mode.SHADOW, "allowed", registry);
    this.shadowDenied = decisions(rule, Mode.SHADOW, "denied", registry);
    degraded(Reason.STORE_UNAVAILABLE);
    Gauge.builder("penstock.used.ratio", used, RecentMax::max)
        .description("The maximum share of a burst that was used in the last minute")
        .tag("rule", rule)
        .register(registry);
  }

  private static Counter decisions(String rule, Mode mode, String outcome, MeterRegistry registry) {
    return Counter.builder(DECISIONS)
        .description(DECISIONS_DESCRIPTION)
        .tag("rule", rule)
        .tag("mode", mode.code())
        .tag("outcome", outcome)
        .register(registry);
  }

  private Counter degraded(Reason why) {
    return degraded.computeIfAbsent(
        why,
        reason ->
            Counter.builder("penstock.degraded")
                .description("Decisions that a failure policy made because the store could not")
                .tag("rule", rule)
                .tag("reason", reason.code())
                .register(registry));
  }

  void count(Outcome outcome) {
    Decision decision = outcome.decision();
    if (outcome.mode() == Mode.ENFORCE) {
      if (decision.allowed()) {
        allowed.increment();
      } else {
        denied.increment();
      }
    } else {
      (decision.allowed() ? shadowAllowed : shadowDenied).increment();
    }
    Optional<Reason> degradation = decision.degradation();
    if (degradation.isPresent()) {
      degraded(degradation.get()).increment();
    } else {
      double burst = decision.limit().burstThousandths();
      used.record(Math.min(1, 1 - decision.remainingThousandths() / burst));
    }
  }

  /** Counts a denial of a request that was counted as allowed after a delay. */
  void countDelayDenied() {
    allowed.takeBack();
    denied.increment();
  }

  /** Counts a request that no rule applied to because the key of this one was missing. */
  void countSkipped() {
    // Created on first use: hardly any rule has it.
    Counter.builder("penstock.skipped")
        .description("Requests that no rule applied to because the caller supplied no key")
        .tag("rule", rule)
        .register(registry)
        .increment();
  }

  /** Returns the counts since the start. */
  RuleCounts counts() {
    double degradedCount = 0;
    for (Counter counter : degraded.values()) {
      degradedCount += counter.count();
    }
    return new RuleCounts(
        rule,
        allowed.count() + (long) shadowAllowed.count(),
        (long) denied.count(),
        (long) degradedCount,
        (long) shadowDenied.count());
  }

  /** Starts a new period of {@link RecentMax}. */
  void pass() {
    used.pass();
  }
}
