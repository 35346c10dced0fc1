package io.penstock.policy;

import io.penstock.inprocess.InProcessStore;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import java.util.List;

/** Requests to a policy, on a clock that is moved by hand. */
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

  /** How many of {@code count} requests at once pass. */
  public int passing(int count, ExplicitRequest.Builder request) {
    int passed = 0;
    for (int i = 0; i < count; i++) {
      passed += send(request).allowed() ? 1 : 0;
    }
    return passed;
  }

  /** The rules that apply to a request now, in their order; nothing is charged. */
  public List<String> rules(ExplicitRequest.Builder request) {
    return engine.preview(request.build()).toCompletableFuture().join().outcomes().stream()
        .map(outcome -> outcome.rule().name())
        .toList();
  }

  /** What a rule has left for a request. */
  public double left(String rule, ExplicitRequest.Builder request) {
    return engine.preview(request.cost(0).build()).toCompletableFuture().join().outcomes().stream()
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
