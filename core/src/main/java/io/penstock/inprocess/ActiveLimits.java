package io.penstock.inprocess;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The active limits of a table, with the number of limiters that use each. Thread-safe. */
final class ActiveLimits<L> {
  private final Map<L, Integer> limiterCounts = new ConcurrentHashMap<>();

  void add(L limit) {
    limiterCounts.merge(limit, 1, Integer::sum);
  }

  /** Removes one limiter from {@code limit}, which becomes inactive with its last limiter. */
  void remove(L limit) {
    limiterCounts.computeIfPresent(limit, (same, count) -> count == 1 ? null : count - 1);
  }

  boolean contains(L limit) {
    return limiterCounts.containsKey(limit);
  }
}
