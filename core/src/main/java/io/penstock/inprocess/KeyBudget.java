package io.penstock.inprocess;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The maximum number of buckets of a store, and the eviction at that cap. Thread-safe.
 *
 * <p>Evicts from the largest table first, because a flood of made-up keys makes its table the
 * largest. If all candidates there are protected, it evicts from the requesting table, and then
 * from some others.
 */
final class KeyBudget {
  private static final int MAX_ATTEMPTS = 1_000;
  private static final int MAX_PAUSES = 20_000;
  private static final long PAUSE_NANOS = 50_000;
  private static final int MAX_TABLES = 8;

  private final long maxBuckets;
  private final AtomicLong kept = new AtomicLong();
  private final LongAdder evicted = new LongAdder();
  private final LongAdder forgiven = new LongAdder();

  /** Guarded by {@link #lock}, as are the indices of the tables. */
  private final List<Table> tables = new ArrayList<>();

  private final ReentrantLock lock = new ReentrantLock();
  private int cursor;
  private volatile Table largest;

  KeyBudget(long maxBuckets) {
    this.maxBuckets = maxBuckets;
    this.largest = new EmptyTable();
  }

  /** Adds a table that has buckets, unless it is already registered. */
  void register(Table table) {
    if (table.registered) {
      return;
    }
    lock.lock();
    try {
      if (!table.registered) {
        table.index = tables.size();
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

  /** Removes an unused table if it has no buckets; false if it has. */
  boolean forget(Table table) {
    lock.lock();
    try {
      if (table.registered) {
        table.registered = false;
        // A bucket that is added concurrently is either seen here or sees that it has to register.
        if (table.size() > 0) {
          table.registered = true;
          return false;
        }
        Table last = tables.remove(tables.size() - 1);
        if (last != table) {
          tables.set(table.index, last);
          last.index = table.index;
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

  /** Iterates over the tables round-robin; returns an empty table if there are none. */
  Table next() {
    lock.lock();
    try {
      if (tables.isEmpty()) {
        return new EmptyTable();
      }
      cursor = cursor + 1 < tables.size() ? cursor + 1 : 0;
      return tables.get(cursor);
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
   * Counts a new bucket of {@code requester}, after evicting another one if necessary. May block,
   * so the caller must not hold a lock.
   */
  void take(Table requester) {
    for (int pauses = 0; !tryTake(requester, pauses); pauses++) {
      pause();
    }
  }

  /**
   * Like {@link #take}, but doesn't block: returns false if nothing can be evicted now because all
   * buckets belong to requests that are being decided. The caller then releases its locks, pauses
   * and retries.
   */
  boolean tryTake(Table requester, int pauses) {
    while (true) {
      long now = kept.get();
      if (now < maxBuckets) {
        if (kept.compareAndSet(now, now + 1)) {
          return true;
        }
      } else if (!evict(requester)) {
        if (Pins.exceed(maxBuckets) || pauses >= MAX_PAUSES) {
          // The request claims more buckets than the cap, or there was no progress for a second.
          kept.incrementAndGet();
          return true;
        }
        return false;
      }
    }
  }

  /** Waits for the requests that hold all buckets to finish. */
  static void pause() {
    LockSupport.parkNanos(PAUSE_NANOS);
  }

  /**
   * Counts the growth of a bucket of {@code requester} if there is capacity, or if evicting buckets
   * with tokens left frees enough.
   */
  boolean reserve(Table requester, long weight) {
    for (long n = 0; n < MAX_ATTEMPTS + weight; n++) {
      long now = kept.get();
      if (now + weight <= maxBuckets) {
        if (kept.compareAndSet(now, now + weight)) {
          return true;
        }
      } else if (weight > maxBuckets || !evict(requester, EvictionPriority.TOKENS_LEFT)) {
        return false;
      }
    }
    return false;
  }

  private boolean evict(Table requester) {
    return evict(requester, EvictionPriority.TOKENS_LEFT)
        || evict(requester, EvictionPriority.EMPTY)
        || evict(requester, EvictionPriority.DENIED);
  }

  private boolean evict(Table requester, EvictionPriority upTo) {
    Table large = largest(requester);
    return large.evict(upTo)
        || (large != requester && requester.evict(upTo))
        || evictElsewhere(upTo);
  }

  /** Tries some other tables before a protected bucket is evicted, or before eviction fails. */
  private boolean evictElsewhere(EvictionPriority upTo) {
    int count = Math.min(MAX_TABLES, tables());
    for (int n = 0; n < count; n++) {
      if (next().evict(upTo)) {
        return true;
      }
    }
    return false;
  }

  /** Counts the growth of a bucket, even beyond the cap. */
  void grow(long weight) {
    kept.addAndGet(weight);
  }

  /** Subtracts buckets that were dropped because they were full. */
  void giveBack(long buckets) {
    kept.addAndGet(-buckets);
  }

  /** Subtracts a bucket that was evicted although tokens were missing from it. */
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

  /** Compares the largest known table with one other per call, which converges quickly enough. */
  private Table largest(Table requester) {
    Table best = largest.size() >= requester.size() ? largest : requester;
    Table other = next();
    largest = other.size() > best.size() ? other : best;
    return largest;
  }
}
