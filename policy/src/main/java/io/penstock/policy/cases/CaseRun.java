package io.penstock.policy.cases;

import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.Policy;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.Verdict;
import io.penstock.policy.jwt.JwtSettings;
import io.penstock.policy.request.CheckRequest;
import io.penstock.testing.ManualClock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs one case with its own buckets and clock. Used once, by one thread. */
final class CaseRun implements AutoCloseable {
  private final ManualClock clock = new ManualClock();
  private final InProcessStore store = InProcessStore.builder().clock(clock).build();
  private final PolicyEngine engine;

  private CaseRun(Policy policy) {
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
    return new CaseResult(policyCase.name(), policyCase.place(), sent, failures);
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
        : new StepFailure(step.place(), request, step.at(), firstTime, step.times(), failed, first);
  }

  private Verdict decide(CheckRequest checkRequest) {
    return checkRequest.dryRun()
        ? engine.preview(checkRequest.request()).toCompletableFuture().join()
        : engine.decide(checkRequest.request());
  }
}
