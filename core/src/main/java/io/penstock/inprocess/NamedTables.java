package io.penstock.inprocess;

import io.penstock.algorithm.FixedPointRate;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The tables behind one name of a store, made when they are first asked for. Thread-safe. */
final class NamedTables {
  private static final AtomicLong ORDER = new AtomicLong();

  private final InProcessStore store;
  private final String name;
  private final long order = ORDER.getAndAdd(2);
  private final ReentrantLock lock = new ReentrantLock();
  private volatile @Nullable BucketTable buckets;
  private volatile @Nullable WindowTable windows;

  /** Limiters of this name that are not retired. */
  final AtomicInteger limiters = new AtomicInteger();

  /** An instant before which something is missing from some bucket, for sure. */
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
      BucketTable made = buckets;
      if (made == null) {
        made = store.newBucketTable(fixedRate, this);
        buckets = made;
      }
      return made;
    } finally {
      lock.unlock();
    }
  }

  WindowTable windows() {
    lock.lock();
    try {
      WindowTable made = windows;
      if (made == null) {
        made = store.newWindowTable(this);
        windows = made;
      }
      return made;
    } finally {
      lock.unlock();
    }
  }

  /** The number of its token buckets among all tables; that of its windows is one more. */
  long order() {
    return order;
  }

  /**
   * Drops everything if nothing is missing from any bucket; false if something is. Looks at all
   * buckets, but not again before the last of them is full.
   */
  boolean dropIfFull(KeyBudget budget) {
    long now = store.clock().nanos();
    if (now - busyUntil < 0) {
      return false;
    }
    BucketTable tokenBuckets = buckets;
    WindowTable someWindows = windows;
    long busy =
        Math.max(
            tokenBuckets == null ? 0 : tokenBuckets.segments().busyNanos(),
            someWindows == null ? 0 : someWindows.busyNanos());
    if (busy > 0) {
      busyUntil = now + busy;
      return false;
    }
    return forget(budget, tokenBuckets == null ? null : tokenBuckets.segments())
        && forget(budget, someWindows);
  }

  /** Whether it has buckets that the budget knows. */
  boolean isRegistered() {
    BucketTable tokenBuckets = buckets;
    WindowTable someWindows = windows;
    return (tokenBuckets != null && tokenBuckets.segments().registered)
        || (someWindows != null && someWindows.registered);
  }

  /** Makes its buckets those of its name again, if the name was dropped since it was last used. */
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
