package io.penstock.bench.local;

import io.penstock.Decision;
import io.penstock.JointRequest;
import io.penstock.RateLimiter;
import io.penstock.inprocess.InProcessStore;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Other calls of Penstock on one key. */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init")
public class PenstockCalls {
  private static final String INSERTED = "user-0123456789abcdef";

  private String key;
  private RateLimiter perUser;
  private JointRequest both;

  @Setup
  public void open() {
    InProcessStore store = InProcessStore.create();
    var global = RateLimiter.on(store, "all", LocalLimits.ALLOWED.limit()).global();
    perUser = RateLimiter.on(store, "user", LocalLimits.ALLOWED.limit());
    perUser.tryAcquire(INSERTED);
    key = Keys.copy(INSERTED);
    both = RateLimiter.all(perUser.at(key), global.at());
  }

  /** Returns the decision, so that the JIT can't eliminate it. */
  @Benchmark
  public Decision take(Answers answers) {
    Decision decision = perUser.take(key);
    answers.count(decision.allowed());
    return decision;
  }

  @Benchmark
  public boolean twoLimits(Answers answers) {
    return answers.count(both.tryAcquire());
  }
}
