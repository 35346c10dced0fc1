package io.penstock.bench.local;

import io.penstock.Claim;
import io.penstock.JointRequest;
import io.penstock.RateLimiter;
import io.penstock.inprocess.InProcessStore;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.ThreadParams;

/** Requests that take from several limits, all or none. */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init")
public class SeveralLimits {
  @Param({"1", "2", "3", "5", "10"})
  public int limits;

  private RateLimiter[] limiters;

  @Setup
  public void open() {
    InProcessStore store = InProcessStore.create();
    limiters = new RateLimiter[limits];
    for (int i = 0; i < limits; i++) {
      limiters[i] = RateLimiter.on(store, "limit-" + i, LocalLimits.ALLOWED.limit());
    }
  }

  /** The request of one thread, with its own keys. */
  @State(Scope.Thread)
  public static class ThreadRequest {
    private JointRequest claims;

    @Setup
    public void claim(SeveralLimits all, ThreadParams thread) {
      String key = "user-%016x".formatted(thread.getThreadIndex());
      Claim[] each = new Claim[all.limits];
      for (int i = 0; i < each.length; i++) {
        each[i] = all.limiters[i].at(key);
      }
      claims = RateLimiter.all(each);
    }
  }

  @Benchmark
  public boolean tryAcquire(ThreadRequest caller, Answers answers) {
    return answers.count(caller.claims.tryAcquire());
  }
}
