package io.penstock.inprocess;

import io.penstock.algorithm.FixedPointRate;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The tables for one name of a store, created lazily. Thread-safe. */
final class NamedTables {
  private static final AtomicLong NEXT_NUMBER = new AtomicLong();

  private final InProcessStore store;
  private final String name;
  private final long tableNumber = NEXT_NUMBER.getAndAdd(2);
  private final ReentrantLock lock = new ReentrantLock();
  private volatile @Nullable BucketTable buckets;
  private volatile @Nullable WindowTable windows;

  /** The number of limiters with this name that are not retired. */
  final AtomicInteger limiters = new AtomicInteger();

  /** Until this time, tokens are known to be missing from some bucket. */
  private volatile long busyUntil;

  NamedTables(InProcessStore store, String name) {
    this.store = store;
    this.name = name;
    this.busyUntil = store.clock().nanos();
  }

  String name() {
    return name;
  }

  BucketTable buckets(FixedPointRate fixedRate) {
    lock.lock();
    try {
      BucketTable table = buckets;
      if (table == null) {
        table = store.newBucketTable(fixedRate, this);
        buckets = table;
      }
      return table;
    } finally {
      lock.unlock();
    }
  }

  WindowTable windows() {
    lock.lock();
    try {
      WindowTable table = windows;
      if (table == null) {
        table = store.newWindowTable(this);
        windows = table;
      }
      return table;
    } finally {
      lock.unlock();
    }
  }

  /** The number of the token bucket table; the number of the window table is one more. */
  long tableNumber() {
    return tableNumber;
  }

  /**
   * Drops all buckets if all are full; false if tokens are missing from any. Scans all buckets, but
   * not again before the last of them is full.
   */
  boolean dropIfFull(KeyBudget budget) {
    long now = store.clock().nanos();
    if (now - busyUntil < 0) {
      return false;
    }
    BucketTable bucketTable = buckets;
    WindowTable windowTable = windows;
    long busy =
        Math.max(
            bucketTable == null ? 0 : bucketTable.segments().busyNanos(),
            windowTable == null ? 0 : windowTable.busyNanos());
    if (busy > 0) {
      busyUntil = now + busy;
      return false;
    }
    return forget(budget, bucketTable == null ? null : bucketTable.segments())
        && forget(budget, windowTable);
  }

  /** Whether any of its tables is registered in the budget. */
  boolean isRegistered() {
    BucketTable bucketTable = buckets;
    WindowTable windowTable = windows;
    return (bucketTable != null && bucketTable.segments().registered)
        || (windowTable != null && windowTable.registered);
  }

  /** Registers its tables under the name again, if the name was dropped since its last use. */
  void relink() {
    store.relink(this);
  }

  private static boolean forget(KeyBudget budget, @Nullable Table table) {
    if (table == null) {
      return true;
    }
    table.dropFull();
    return budget.forget(table);
  }
}
