package io.penstock.bench.policy;

import io.penstock.bench.local.Answers;
import io.penstock.bench.local.Keys;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.Verdict;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.ThreadParams;

/** Each thread cycles through the requests of ten thousand users from its own offset. */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init")
public class Evaluation {
  private static final int USERS = 10_000;
  private static final int APPLYING = 3;

  @Param({"10", "100", "1000", "10000", "100000"})
  public int rules;

  private PolicyEngine engine;
  private ExplicitRequest[] requests;

  /** The position of a thread. */
  @State(Scope.Thread)
  public static class UserTurn {
    private int next;

    @Setup
    public void begin(ThreadParams thread) {
      next = USERS * thread.getThreadIndex() / thread.getThreadCount();
    }

    int advance() {
      int turn = next;
      next = turn + 1 == USERS ? 0 : turn + 1;
      return turn;
    }
  }

  @Setup
  public void insert() {
    engine = new PolicyEngine(InProcessStore.create(), SyntheticPolicy.of(rules));
    String[] users = Keys.inserted(USERS);
    for (ExplicitRequest request : Callers.requests(users, SyntheticPolicy.tenants(rules))) {
      engine.decide(request);
    }
    requests = Callers.requests(users, SyntheticPolicy.tenants(rules));
    System.gc();
  }

  /**
   * Returns the verdict, so that the JIT can't eliminate it. A verdict that misses a rule counts as
   * denied, which fails the run.
   */
  @Benchmark
  public Verdict decide(UserTurn turn, Answers answers) {
    Verdict verdict = engine.decide(requests[turn.advance()]);
    if (verdict.allowed() && verdict.outcomes().size() == APPLYING) {
      answers.allowed++;
    } else {
      answers.denied++;
    }
    return verdict;
  }
}
