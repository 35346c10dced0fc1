package io.penstock.bench.redis;

import io.penstock.bench.local.Keys;

/** Which keys callers ask for. */
enum Workload {
  /** All the same. */
  HOT_KEY("hot_key") {
    @Override
    String[] keysOf(int caller, int callers) {
      return new String[] {Keys.copy("hot")};
    }
  },
  /** Each its own. */
  PER_USER("per_user") {
    @Override
    String[] keysOf(int caller, int callers) {
      return new String[] {"user-%016x".formatted(caller)};
    }
  },
  /** Each its share of {@link #MANY}, one after the other. */
  MANY_KEYS("many_keys") {
    @Override
    String[] keysOf(int caller, int callers) {
      int from = (int) ((long) MANY * caller / callers);
      int to = (int) ((long) MANY * (caller + 1) / callers);
      String[] keys = new String[to - from];
      for (int i = 0; i < keys.length; i++) {
        keys[i] = "user-%016x".formatted(from + i);
      }
      return keys;
    }
  };

  static final int MANY = 100_000;

  final String label;

  Workload(String label) {
    this.label = label;
  }

  abstract String[] keysOf(int caller, int callers);
}
