package io.penstock.policy.cases;

import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.Policy;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.Request;
import io.penstock.policy.Rule;
import io.penstock.policy.Verdict;
import io.penstock.policy.jwt.JwtSettings;
import io.penstock.policy.request.CheckRequest;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Runs one case with its own buckets and clock. Used once, by one thread. */
final class CaseRun implements AutoCloseable {
  /** The interval of requests that are sent by hand or from a shell. */
  private static final long SLOW_STEP_NANOS = 100_000_000;

  /** Long enough to fill the buckets of all but absurd limits. */
  private static final Duration REFILL = Duration.ofDays(3653);

  private final ManualClock clock = new ManualClock();
  private final InProcessStore store = InProcessStore.builder().clock(clock).build();
  private final PolicyEngine engine;

  CaseRun(Policy policy) {
    this.engine = new PolicyEngine(store, withoutTokens(policy));
  }

  /** Cases state claims themselves, so no token keys are fetched. */
  private static Policy withoutTokens(Policy policy) {
    return policy.withJwt(JwtSettings.NONE);
  }

  static CaseResult of(PolicyCase policyCase, Policy policy) {
    try (CaseRun run = new CaseRun(policy)) {
      return run.result(policyCase);
    }
  }

  @Override
  public void close() {
    engine.close();
    store.close();
  }

  /**
   * How many requests to send until one is denied.
   *
   * @param fast if they are sent at the same time
   * @param slow if they are sent from a shell on a slow machine; not less than {@code fast}
   */
  record RequestCounts(int fast, int slow) {}

  /**
   * Returns how many times to send {@code request}, starting with full buckets, until {@code rule}
   * denies it; null if it isn't denied within {@code max} requests.
   */
  @Nullable RequestCounts requestsUntilDenied(Rule rule, Request request, int max) {
    OptionalInt slow = requestsUntilDenied(rule, request, max, SLOW_STEP_NANOS);
    OptionalInt fast = requestsUntilDenied(rule, request, max, 0);
    return slow.isPresent() && fast.isPresent()
        ? new RequestCounts(fast.getAsInt(), slow.getAsInt())
        : null;
  }

  private OptionalInt requestsUntilDenied(Rule rule, Request request, int max, long stepNanos) {
    clock.advance(REFILL);
    for (int sent = 1; sent <= max; sent++) {
      Verdict verdict = engine.decide(request);
      if (!verdict.allowed()) {
        boolean denies = verdict.decisive().filter(by -> by.rule().equals(rule)).isPresent();
        return denies && sent > 1 ? OptionalInt.of(sent) : OptionalInt.empty();
      }
      if (!verdict.delay().isZero()) {
        return OptionalInt.empty();
      }
      clock.advanceNanos(stepNanos);
    }
    return OptionalInt.empty();
  }

  private CaseResult result(PolicyCase policyCase) {
    List<StepFailure> failures = new ArrayList<>();
    int sent = 0;
    for (int i = 0; i < policyCase.steps().size(); i++) {
      CaseStep step = policyCase.steps().get(i);
      clock.set(step.at().toNanos());
      StepFailure failure = run(step, i + 1);
      if (failure != null) {
        failures.add(failure);
      }
      sent += step.times();
    }
    return new CaseResult(policyCase.name(), policyCase.location(), sent, failures);
  }

  private @Nullable StepFailure run(CaseStep step, int request) {
    List<Mismatch> first = List.of();
    int firstTime = 0;
    int failed = 0;
    for (int time = 1; time <= step.times(); time++) {
      Verdict verdict = decide(step.checkRequest());
      List<Mismatch> found = step.expectation().mismatches(verdict, time == step.times());
      if (!found.isEmpty() && failed++ == 0) {
        first = found;
        firstTime = time;
      }
    }
    return failed == 0
        ? null
        : new StepFailure(
            step.location(), request, step.at(), firstTime, step.times(), failed, first);
  }

  private Verdict decide(CheckRequest checkRequest) {
    return checkRequest.dryRun()
        ? engine.peek(checkRequest.request()).toCompletableFuture().join()
        : engine.decide(checkRequest.request());
  }
}
