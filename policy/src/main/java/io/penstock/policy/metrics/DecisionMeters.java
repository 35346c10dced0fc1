package io.penstock.policy.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.policy.Outcome;
import io.penstock.policy.PolicyObserver;
import io.penstock.policy.SkippedRule;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Counts the outcomes of rules. Thread-safe. Labels never contain a key. */
public final class DecisionMeters implements PolicyObserver {
  /** The maximum number of rules with their own meters; all others share one set. */
  public static final int MAX_RULES = 1_000;

  /** The name under which rules without their own meters are counted. */
  public static final String OTHER = "other";

  private final MeterRegistry registry;
  private final Map<String, RuleMeters> rules = new ConcurrentHashMap<>();

  public DecisionMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  /** How often to call {@link #pass}, for gauges over the last minute. */
  public static final long PERIOD_MILLIS = RecentMax.PERIOD_MILLIS;

  /** Starts a new period. */
  public void pass() {
    rules.values().forEach(RuleMeters::pass);
  }

  /** Passes on the counts of each rule, in no order. */
  public void forEachRule(Consumer<RuleCounts> action) {
    rules.values().forEach(meters -> action.accept(meters.counts()));
  }

  @Override
  public void decided(Outcome outcome) {
    String name = outcome.rule().name();
    RuleMeters meters = rules.get(name);
    (meters == null ? meters(name) : meters).count(outcome);
  }

  @Override
  public void corrected(Outcome reported, Outcome denial) {
    String name = denial.rule().name();
    RuleMeters meters = rules.get(name);
    (meters == null ? meters(name) : meters).correct(reported);
  }

  @Override
  public void skipped(SkippedRule skipped) {
    String name = skipped.rule().name();
    RuleMeters meters = rules.get(name);
    (meters == null ? meters(name) : meters).countSkipped();
  }

  private RuleMeters meters(String rule) {
    String label = rules.size() < MAX_RULES ? rule : OTHER;
    return rules.computeIfAbsent(label, unused -> new RuleMeters(label, registry));
  }
}
