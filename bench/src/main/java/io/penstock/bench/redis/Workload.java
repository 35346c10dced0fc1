package io.penstock.bench.redis;

import io.penstock.bench.local.Keys;

/** The keys that callers use. */
enum Workload {
  /** All callers use the same key. */
  HOT_KEY("hot_key") {
    @Override
    String[] keysOf(int caller, int callers) {
      return new String[] {Keys.copy("hot")};
    }
  },
  /** Each caller has its own key. */
  PER_USER("per_user") {
    @Override
    String[] keysOf(int caller, int callers) {
      return new String[] {"user-%016x".formatted(caller)};
    }
  },
  /** Each caller cycles through its share of {@link #MANY} keys. */
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
