package io.penstock.policy.metrics;

import java.util.concurrent.atomic.LongAdder;

/**
 * A count of events, some of which are taken back soon after they were counted. Thread-safe. The
 * count that is read never decreases, because a counter that decreases looks like a restart.
 */
final class CorrectedCount {
  private final LongAdder counted = new LongAdder();
  private final LongAdder takenBack = new LongAdder();
  private long lastRead;

  void increment() {
    counted.increment();
  }

  /** Takes back an event that was counted before. */
  void takeBack() {
    takenBack.increment();
  }

  synchronized long count() {
    long back = takenBack.sum();
    lastRead = Math.max(lastRead, counted.sum() - back);
    return lastRead;
  }
}
