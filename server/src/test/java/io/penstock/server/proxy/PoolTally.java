package io.penstock.server.proxy;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What came of many exchanges. Thread-safe. */
final class PoolTally {
  private static final int MAX_VIOLATIONS = 20;

  private final long seed;
  private final AtomicLong next = new AtomicLong();
  private final LongAdder whole = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder broken = new LongAdder();
  private final LongAdder interim = new LongAdder();
  private final LongAdder surplus = new LongAdder();
  private final List<String> violations = new CopyOnWriteArrayList<>();

  PoolTally(long seed) {
    this.seed = seed;
  }

  /** The plan of the next exchange. */
  PoolPlan next() {
    return new PoolPlan(seed, next.incrementAndGet());
  }

  /** The plan that an origin reads from a request. */
  PoolPlan plan(long exchange) {
    return new PoolPlan(seed, exchange);
  }

  void violation(String what) {
    if (violations.size() < MAX_VIOLATIONS) {
      violations.add(what);
    }
  }

  /** A client got the origin's response from its first byte to its last. */
  void gotWhole() {
    whole.increment();
  }

  /** A client got an error of the proxy's. */
  void gotError() {
    failed.increment();
  }

  /** A client left, or saw its connection end. */
  void brokeOff() {
    broken.increment();
  }

  void gotInterim() {
    interim.increment();
  }

  void sentSurplus() {
    surplus.increment();
  }

  List<String> violations() {
    return violations;
  }

  long sent() {
    return next.get();
  }

  long whole() {
    return whole.sum();
  }

  @Override
  public String toString() {
    return sent()
        + " exchanges with seed "
        + seed
        + ": "
        + whole
        + " whole, "
        + failed
        + " errors of the proxy, "
        + broken
        + " broken off, "
        + interim
        + " informational responses, "
        + surplus
        + " with surplus bytes, violations "
        + violations;
  }
}
