package io.penstock.inprocess;

import org.jspecify.annotations.Nullable;

/**
 * Buckets of one name that count against the budget of a store. Thread-safe. A table takes part in
 * the budget from its first bucket on, until {@link KeyBudget#forget}.
 */
abstract sealed class Table permits SegmentTable, WindowTable, EmptyTable {
  /** The tables of the same name. */
  final @Nullable NamedTables owner;

  /** Whether the budget knows it; written by {@link KeyBudget} only. */
  volatile boolean registered;

  /** Where it stands among the tables of the budget, which guards this. */
  int place;

  Table(@Nullable NamedTables owner) {
    this.owner = owner;
  }

  /** How many buckets it has, as the budget counts them. */
  abstract long size();

  /** Gives up the bucket with the least missing among some, as far as {@code spare} allows. */
  abstract boolean evict(EvictionGuard spare);

  /** Nanoseconds until nothing is missing from any bucket; 0 if nothing is. */
  abstract long busyNanos();

  /** Drops the buckets that nothing is missing from. */
  abstract void dropFull();
}
