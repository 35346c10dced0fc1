package io.penstock.policy;

import io.penstock.inprocess.InProcessStore;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import java.util.List;

/** Sends requests to a policy, on a manual clock. */
public final class Traffic {
  private final ManualClock clock = new ManualClock();
  private final PolicyEngine engine;

  public Traffic(Policy policy) {
    this.engine = new PolicyEngine(InProcessStore.builder().clock(clock).build(), policy);
  }

  public PolicyEngine engine() {
    return engine;
  }

  public Verdict send(ExplicitRequest.Builder request) {
    return engine.decide(request.build());
  }

  /** Returns how many of {@code count} simultaneous requests are allowed. */
  public int passing(int count, ExplicitRequest.Builder request) {
    int passed = 0;
    for (int i = 0; i < count; i++) {
      passed += send(request).allowed() ? 1 : 0;
    }
    return passed;
  }

  /** Returns the rules that apply to a request now, in order, without charging it. */
  public List<String> rules(ExplicitRequest.Builder request) {
    return engine.peek(request.build()).toCompletableFuture().join().outcomes().stream()
        .map(outcome -> outcome.rule().name())
        .toList();
  }

  /** Returns what a rule has left for a request. */
  public double left(String rule, ExplicitRequest.Builder request) {
    return engine
        .peek(request.costThousandths(0).build())
        .toCompletableFuture()
        .join()
        .outcomes()
        .stream()
        .filter(outcome -> outcome.rule().name().equals(rule))
        .findFirst()
        .orElseThrow()
        .decision()
        .remaining();
  }

  public void pass(Duration time) {
    clock.advance(time);
  }

  public void passSeconds(double seconds) {
    clock.advanceNanos(Math.round(seconds * 1e9));
  }
}
