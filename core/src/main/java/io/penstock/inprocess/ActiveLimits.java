package io.penstock.inprocess;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The limits that limiters of a table go by, and how many go by each. Thread-safe. */
final class ActiveLimits<L> {
  private final Map<L, Integer> limiters = new ConcurrentHashMap<>();

  void add(L limit) {
    limiters.merge(limit, 1, Integer::sum);
  }

  /** One less goes by {@code limit}; with the last one it is a limit of the past. */
  void remove(L limit) {
    limiters.computeIfPresent(limit, (same, count) -> count == 1 ? null : count - 1);
  }

  boolean has(L limit) {
    return limiters.containsKey(limit);
  }
}
