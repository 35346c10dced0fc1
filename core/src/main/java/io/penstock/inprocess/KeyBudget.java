package io.penstock.inprocess;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * How many buckets a store may keep, and who goes when there are more. Thread-safe.
 *
 * <p>Room is made in the largest table, because that is where a flood of invented keys shows; only
 * if everything seen there is used up does the table that asks give up one of its own.
 */
final class KeyBudget {
  /** Several for one, so that what grew since is caught up with. */
  private static final int MOST_EVICTIONS = 4;

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

    /**
     * Gives up the bucket with the least missing among some; one with less than a token left only
     * if {@code spentToo}.
     */
    boolean evict(boolean spentToo);
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
    if (kept.get() >= most) {
      makeRoom(asking);
    }
    kept.incrementAndGet();
  }

  /** Gives up buckets until there is room for one, or a few at least. */
  void makeRoom(Evictable asking) {
    boolean made = true;
    for (int n = 0; made && n < MOST_EVICTIONS && kept.get() >= most; n++) {
      Evictable large = largest(asking);
      made = large.evict(false) || asking.evict(false) || evictElsewhere();
      made = made || large.evict(true) || asking.evict(true);
    }
  }

  /** Before anybody who is being denied has to go, some other tables are asked too. */
  private boolean evictElsewhere() {
    for (int n = 0; n < Math.min(MOST_TABLES, tables.size()); n++) {
      if (tables.get((int) (turn.getAndIncrement() % tables.size())).evict(false)) {
        return true;
      }
    }
    return false;
  }

  /** Counts what a bucket has grown by; who grew makes room later. */
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
    public boolean evict(boolean spentToo) {
      return false;
    }
  }
}
