package io.penstock.inprocess;

import org.jspecify.annotations.Nullable;

/**
 * Buckets with one name that count against the budget of a store. Thread-safe. A table takes part
 * in the budget from its first bucket until {@link KeyBudget#forget}.
 */
abstract sealed class Table permits SegmentTable, WindowTable, EmptyTable {
  /** The tables of the same name. */
  final @Nullable NamedTables owner;

  /** Whether the table is registered in the budget; written only by {@link KeyBudget}. */
  volatile boolean registered;

  /** The index in the budget's list of tables; guarded by the budget. */
  int index;

  Table(@Nullable NamedTables owner) {
    this.owner = owner;
  }

  /** The number of buckets, as the budget counts them. */
  abstract long size();

  /**
   * Evicts the bucket with the smallest missing fraction among some candidates whose priority is at
   * most {@code upTo}; false if none was evicted.
   */
  abstract boolean evict(EvictionPriority upTo);

  /** Nanoseconds until all buckets are full; 0 if they are. */
  abstract long busyNanos();

  /** Drops all full buckets. */
  abstract void dropFull();
}
