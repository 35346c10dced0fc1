package io.penstock.policy.http;

import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.Reason;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.Mode;
import io.penstock.policy.Outcome;
import io.penstock.policy.Rule;
import io.penstock.policy.Verdict;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import java.util.List;

/** A rule with its own limiter on a manual clock, which produces outcomes like an engine. */
final class Limited {
  static final String KEY = "org-abc";

  final ManualClock clock = new ManualClock();
  final RateLimiter limiter;
  final Rule rule;

  Limited(String name, Limit limit) {
    this.limiter =
        RateLimiter.on(InProcessStore.builder().clock(clock).maxKeys(1_000).build(), name, limit);
    this.rule = rule(name, limit, FailurePolicy.OPEN);
  }

  static Rule rule(String name, Limit limit, FailurePolicy onFailure) {
    return Rule.builder(name).limits(List.of(limit)).onStoreFailure(onFailure).build();
  }

  /** Takes a cost in thousandths. */
  Outcome take(long cost) {
    return outcome(cost, limiter.take(KEY, cost / 1_000.0));
  }

  /** Takes a cost in thousandths, or reserves it ahead. */
  Outcome take(long cost, Duration maxDelay) {
    Claim claim = limiter.at(KEY, cost / 1_000.0).within(maxDelay);
    return outcome(cost, RateLimiter.all(claim).take());
  }

  Outcome outcome(long cost, Decision decision) {
    return new Outcome(rule, Mode.ENFORCE, KEY, cost, decision);
  }

  static Outcome shadow(Outcome outcome) {
    return new Outcome(
        outcome.rule(), Mode.SHADOW, outcome.key(), outcome.costThousandths(), outcome.decision());
  }

  static Verdict verdict(Outcome... outcomes) {
    return Verdict.of(List.of(outcomes));
  }

  /** A denial under {@code closed} while the store is unavailable. */
  static Outcome closed(String name, Limit limit, long waitNanos) {
    Rule rule = rule(name, limit, FailurePolicy.CLOSED);
    Decision decision = Decision.unavailable(name, limit, waitNanos, Reason.STORE_UNAVAILABLE);
    return new Outcome(rule, Mode.ENFORCE, KEY, 1_000, decision);
  }
}
