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
  private final CorrectedCount allowed;
  private final CorrectedCount denied;
  private final CorrectedCount shadowAllowed;
  private final CorrectedCount shadowDenied;
  private final String rule;
  private final MeterRegistry registry;
  private final Map<Reason, Counter> degraded = new ConcurrentHashMap<>();
  private final RecentMax used = new RecentMax();

  RuleMeters(String rule, MeterRegistry registry) {
    this.rule = rule;
    this.registry = registry;
    this.allowed = decisions(Mode.ENFORCE, "allowed");
    this.denied = decisions(Mode.ENFORCE, "denied");
    this.shadowAllowed = decisions(Mode.SHADOW, "allowed");
    this.shadowDenied = decisions(Mode.SHADOW, "denied");
    degraded(Reason.STORE_UNAVAILABLE);
    Gauge.builder("penstock.used.ratio", used, RecentMax::max)
        .description("The maximum share of a burst that was used in the last minute")
        .tag("rule", rule)
        .register(registry);
  }

  private CorrectedCount decisions(Mode mode, String outcome) {
    CorrectedCount count = new CorrectedCount();
    FunctionCounter.builder("penstock.decisions", count, CorrectedCount::count)
        .description("Decisions of rules")
        .tags("rule", rule, "mode", mode.code(), "outcome", outcome)
        .register(registry);
    return count;
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
    countOf(outcome).increment();
    Optional<Reason> degradation = decision.degradation();
    if (degradation.isPresent()) {
      degraded(degradation.get()).increment();
    } else {
      double burst = decision.limit().burstThousandths();
      used.record(Math.min(1, 1 - decision.remainingThousandths() / burst));
    }
  }

  private CorrectedCount countOf(Outcome outcome) {
    boolean enforced = outcome.mode() == Mode.ENFORCE;
    return outcome.decision().allowed()
        ? enforced ? allowed : shadowAllowed
        : enforced ? denied : shadowDenied;
  }

  /** Counts an outcome as a denial that was counted as something else. */
  void correct(Outcome reported) {
    countOf(reported).takeBack();
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
        allowed.count() + shadowAllowed.count(),
        denied.count(),
        (long) degradedCount,
        shadowDenied.count());
  }

  /** Starts a new period of {@link RecentMax}. */
  void pass() {
    used.pass();
  }
}
