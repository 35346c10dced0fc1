package io.penstock.server.proxy;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Counts the results of many exchanges. Thread-safe. */
final class PoolTally {
  private static final int MAX_VIOLATIONS = 20;
  private static final Pattern TAG = Pattern.compile("t\\d+;");

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

  /** Returns the plan of the next exchange. */
  PoolPlan next() {
    return new PoolPlan(seed, next.incrementAndGet());
  }

  /** Returns the plan of an exchange, for the origin. */
  PoolPlan plan(long exchange) {
    return new PoolPlan(seed, exchange);
  }

  void violation(String description) {
    if (violations.size() < MAX_VIOLATIONS) {
      violations.add(description);
    }
  }

  /** Checks that everything in a text that names an exchange names this one. */
  void check(PoolPlan plan, String text) {
    Matcher tags = TAG.matcher(text);
    while (tags.find()) {
      if (!tags.group().equals(plan.tag)) {
        violation("of another exchange for " + plan + ": " + text);
        return;
      }
    }
    if (text.contains("evil") || text.contains("Evil")) {
      violation("surplus bytes for " + plan + ": " + text);
    }
  }

  /** Counts a complete response of the origin. */
  void gotWhole() {
    whole.increment();
  }

  /** Counts an error response of the proxy. */
  void gotError() {
    failed.increment();
  }

  /** Counts a client that disconnected, or whose connection was closed. */
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
