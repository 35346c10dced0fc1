package io.penstock.inprocess;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How many buckets a store may keep, and who goes when there are more. Thread-safe.
 *
 * <p>Room is made in the largest table, because that is where a flood of invented keys shows; only
 * if everything seen there is used up does the table that asks give up one of its own.
 */
final class KeyBudget {
  private static final int MAX_ATTEMPTS = 1_000;
  private static final int MAX_PAUSES = 20_000;
  private static final long PAUSE_NANOS = 50_000;
  private static final int MAX_TABLES = 8;

  private final long most;
  private final AtomicLong kept = new AtomicLong();
  private final LongAdder evicted = new LongAdder();
  private final LongAdder forgiven = new LongAdder();

  /** Guarded by {@link #lock}, as are the places of the tables. */
  private final List<Table> tables = new ArrayList<>();

  private final ReentrantLock lock = new ReentrantLock();
  private int turn;
  private volatile Table largest;

  KeyBudget(long most) {
    this.most = most;
    this.largest = new EmptyTable();
  }

  /** Makes a table with buckets take part, if it does not yet. */
  void register(Table table) {
    if (table.registered) {
      return;
    }
    lock.lock();
    try {
      if (!table.registered) {
        table.place = tables.size();
        tables.add(table);
        table.registered = true;
      }
    } finally {
      lock.unlock();
    }
    if (table.owner != null) {
      table.owner.relink();
    }
  }

  /** Lets go of a table that is not used any more, if it has no buckets; false if it has. */
  boolean forget(Table table) {
    lock.lock();
    try {
      if (table.registered) {
        table.registered = false;
        // A bucket that is added at this moment is seen here, or sees that it has to register.
        if (table.size() > 0) {
          table.registered = true;
          return false;
        }
        Table last = tables.remove(tables.size() - 1);
        if (last != table) {
          tables.set(table.place, last);
          last.place = table.place;
        }
        if (largest == table) {
          largest = new EmptyTable();
        }
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** One table after the other; none if there is none. */
  Table next() {
    lock.lock();
    try {
      if (tables.isEmpty()) {
        return new EmptyTable();
      }
      turn = turn + 1 < tables.size() ? turn + 1 : 0;
      return tables.get(turn);
    } finally {
      lock.unlock();
    }
  }

  int tables() {
    lock.lock();
    try {
      return tables.size();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Counts a new bucket of {@code asking}, and makes room first where there is none. May wait, so
   * the caller holds no lock.
   */
  void take(Table asking) {
    for (int pauses = 0; !tryTake(asking, pauses); pauses++) {
      pause();
    }
  }

  /**
   * The same without waiting: false if nothing can be evicted at this moment, because all buckets
   * belong to requests that are being decided. Then the caller releases its locks, pauses and tries
   * again.
   */
  boolean tryTake(Table asking, int pauses) {
    while (true) {
      long now = kept.get();
      if (now < most) {
        if (kept.compareAndSet(now, now + 1)) {
          return true;
        }
      } else if (!evict(asking)) {
        if (Pins.exceed(most) || pauses >= MAX_PAUSES) {
          // The request claims more than the store may keep, or nothing has moved for a second.
          kept.incrementAndGet();
          return true;
        }
        return false;
      }
    }
  }

  /** Lets the requests that have all buckets finish. */
  static void pause() {
    LockSupport.parkNanos(PAUSE_NANOS);
  }

  /**
   * Counts what a bucket of {@code asking} grows by, if there is room or buckets with tokens left
   * can make some.
   */
  boolean reserve(Table asking, long weight) {
    for (long n = 0; n < MAX_ATTEMPTS + weight; n++) {
      long now = kept.get();
      if (now + weight <= most) {
        if (kept.compareAndSet(now, now + weight)) {
          return true;
        }
      } else if (weight > most || !evict(asking, EvictionGuard.SPENT)) {
        return false;
      }
    }
    return false;
  }

  private boolean evict(Table asking) {
    return evict(asking, EvictionGuard.SPENT)
        || evict(asking, EvictionGuard.DENIED)
        || evict(asking, EvictionGuard.NOBODY);
  }

  private boolean evict(Table asking, EvictionGuard spare) {
    Table large = largest(asking);
    return large.evict(spare) || (large != asking && asking.evict(spare)) || evictElsewhere(spare);
  }

  /** Before a bucket goes that should be spared, or none, some other tables are asked too. */
  private boolean evictElsewhere(EvictionGuard spare) {
    int count = Math.min(MAX_TABLES, tables());
    for (int n = 0; n < count; n++) {
      if (next().evict(spare)) {
        return true;
      }
    }
    return false;
  }

  /** Counts what a bucket has grown by, whatever the cap. */
  void grow(long weight) {
    kept.addAndGet(weight);
  }

  /** Counts buckets that are gone because they were full. */
  void giveBack(long buckets) {
    kept.addAndGet(-buckets);
  }

  /** Counts a bucket that is gone although tokens were missing from it. */
  void evicted(long weight, long forgivenThousandths) {
    kept.addAndGet(-weight);
    evicted.increment();
    forgiven.add(forgivenThousandths);
  }

  long kept() {
    return kept.get();
  }

  long evictions() {
    return evicted.sum();
  }

  long forgivenThousandths() {
    return forgiven.sum();
  }

  /** Compares the largest known table with one other at a time: that finds it soon enough. */
  private Table largest(Table asking) {
    Table best = largest.size() >= asking.size() ? largest : asking;
    Table other = next();
    largest = other.size() > best.size() ? other : best;
    return largest;
  }
}
