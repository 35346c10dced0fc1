package io.penstock.bench.local;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** All threads use one key. */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init")
public class HotKey {
  private static final String INSERTED = "user-0123456789abcdef";

  @Param public HotContender contender;
  @Param public LocalLimits limits;

  private Limiter limiter;
  private String key;

  @Setup
  public void insert() {
    limiter = contender.open(limits);
    limiter.tryAcquire(INSERTED);
    key = Keys.copy(INSERTED);
  }

  @Benchmark
  public boolean tryAcquire(Answers answers) {
    return answers.count(limiter.tryAcquire(key));
  }
}
