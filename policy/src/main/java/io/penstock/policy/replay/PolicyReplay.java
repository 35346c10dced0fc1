package io.penstock.policy.replay;

import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.Mode;
import io.penstock.policy.Outcome;
import io.penstock.policy.Policy;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.Rule;
import io.penstock.policy.SkippedRule;
import io.penstock.policy.Verdict;
import io.penstock.policy.accesslog.LogEntry;
import io.penstock.policy.jwt.JwtSettings;
import java.util.IdentityHashMap;
import java.util.List;

/** Applies one policy to the requests of a log, with buckets of its own. Not thread-safe. */
final class PolicyReplay implements AutoCloseable {
  /** No bucket is evicted before memory runs out. */
  private static final long MAX_KEYS = 1L << 30;

  private final String name;
  private final LogClock clock = new LogClock();
  private final InProcessStore store =
      InProcessStore.builder().clock(clock).maxKeys(MAX_KEYS).build();
  private final PolicyEngine engine;
  private final IdentityHashMap<Rule, RuleTally> rules = new IdentityHashMap<>();
  private final Timeline timeline = new Timeline();
  private final UnsuppliedAttributes unsupplied;
  private long denied;
  private long delayed;
  private long rejected;
  private long unlimited;

  PolicyReplay(String name, Policy policy) {
    this.name = name;
    // Logs contain claims, if at all, and no tokens, so no keys are fetched.
    this.unsupplied = new UnsuppliedAttributes(policy);
    this.engine = new PolicyEngine(store, policy.withJwt(JwtSettings.NONE));
    for (Rule rule : engine.policy().rules()) {
      rules.put(rule, new RuleTally(rule));
    }
  }

  /** Decides a request and returns the verdict. */
  Verdict decide(LogEntry entry) {
    clock.moveTo(entry.timeNanos());
    unsupplied.add(entry);
    Verdict verdict = engine.decide(entry);
    boolean isDenied = !verdict.allowed();
    denied += isDenied ? 1 : 0;
    rejected += verdict == Verdict.PATH_REJECTED ? 1 : 0;
    delayed += !isDenied && !verdict.delay().isZero() ? 1 : 0;
    List<Outcome> outcomes = verdict.outcomes();
    unlimited += outcomes.isEmpty() && !isDenied ? 1 : 0;
    for (int i = 0; i < outcomes.size(); i++) {
      tally(outcomes.get(i).rule()).add(outcomes.get(i), clock.nanos());
    }
    for (SkippedRule skipped : verdict.skipped()) {
      tally(skipped.rule()).addSkipped();
    }
    timeline.add(clock.nanos(), isDenied ? 1 : 0, 1);
    return verdict;
  }

  private RuleTally tally(Rule rule) {
    return rules.computeIfAbsent(rule, RuleTally::new);
  }

  PolicyReport report() {
    List<RuleReport> reports =
        engine.policy().rules().stream()
            .filter(rule -> rule.rollout().mode() != Mode.OFF && !rule.isUnlimited())
            .map(rule -> tally(rule).report())
            .toList();
    return new PolicyReport(
        name,
        denied,
        delayed,
        rejected,
        unlimited,
        unsupplied.list(),
        reports,
        timeline.intervals());
  }

  @Override
  public void close() {
    engine.close();
    store.close();
  }
}
