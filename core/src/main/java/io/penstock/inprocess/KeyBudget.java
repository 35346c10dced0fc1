package io.penstock.inprocess;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * How many buckets a store may keep, and who goes when there are more. Thread-safe.
 *
 * <p>Room is made in the largest table, because that is where a flood of invented keys shows; only
 * if everything seen there is used up does the table that asks give up one of its own.
 */
final class KeyBudget {
  private static final int MAX_ATTEMPTS = 1_000;
  private static final long PAUSE_NANOS = 50_000;
  private static final int MOST_TABLES = 8;

  private final long most;
  private final AtomicLong kept = new AtomicLong();
  private final LongAdder evicted = new LongAdder();
  private final LongAdder forgiven = new LongAdder();
  private final List<Evictable> tables = new CopyOnWriteArrayList<>();
  private final AtomicLong turn = new AtomicLong();
  private volatile Evictable largest;

  /** A table that can give up a bucket. */
  interface Evictable {
    long size();

    /** Gives up the bucket with the least missing among some, as far as {@code spare} allows. */
    boolean evict(Spare spare);
  }

  KeyBudget(long most) {
    this.most = most;
    this.largest = new NoTable();
  }

  void add(Evictable table) {
    tables.add(table);
  }

  /** Counts a new bucket of {@code asking}, and makes room first where there is none. */
  void take(Evictable asking) {
    for (int n = 0; n < MAX_ATTEMPTS; n++) {
      long now = kept.get();
      if (now < most) {
        if (kept.compareAndSet(now, now + 1)) {
          return;
        }
      } else if (!evict(asking)) {
        // What others have counted is about to appear in their tables.
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
    // Nothing can be given up: buckets of unfinished requests fill the whole store.
    kept.incrementAndGet();
  }

  /**
   * Counts what a bucket of {@code asking} grows by, if there is room or buckets with tokens left
   * can make some.
   */
  boolean reserve(Evictable asking, long weight) {
    for (long n = 0; n < MAX_ATTEMPTS + weight; n++) {
      long now = kept.get();
      if (now + weight <= most) {
        if (kept.compareAndSet(now, now + weight)) {
          return true;
        }
      } else if (weight > most || !evict(asking, Spare.SPENT)) {
        return false;
      }
    }
    return false;
  }

  private boolean evict(Evictable asking) {
    return evict(asking, Spare.SPENT) || evict(asking, Spare.DENIED) || evict(asking, Spare.NOBODY);
  }

  private boolean evict(Evictable asking, Spare spare) {
    Evictable large = largest(asking);
    return large.evict(spare)
        || (large != asking && asking.evict(spare))
        || (spare != Spare.NOBODY && evictElsewhere(spare));
  }

  /** Before a bucket goes that should be spared, some other tables are asked too. */
  private boolean evictElsewhere(Spare spare) {
    for (int n = 0; n < Math.min(MOST_TABLES, tables.size()); n++) {
      if (tables.get((int) (turn.getAndIncrement() % tables.size())).evict(spare)) {
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
  private Evictable largest(Evictable asking) {
    Evictable best = largest.size() >= asking.size() ? largest : asking;
    Evictable other = tables.get((int) (turn.getAndIncrement() % tables.size()));
    largest = other.size() > best.size() ? other : best;
    return largest;
  }

  private static final class NoTable implements Evictable {
    @Override
    public long size() {
      return -1;
    }

    @Override
    public boolean evict(Spare spare) {
      return false;
    }
  }
}
