package io.penstock.server.database;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * Denied requests that have not been written yet, counted by rule, key and second. Thread-safe.
 *
 * <p>Each denial is counted exactly once: in an entry that {@link #drain} hands out, or as dropped
 * when there are as many entries as there may be. Threads have parts of their own, each under a
 * lock that only {@code drain} ever contends for.
 */
final class DenialTally {
  private static final int PARTS = 16;

  /** What is counted together. */
  record Key(String rule, String bucketKey, long second) {}

  /** The first of those that are counted together, and how many came after it. */
  private static final class DenialCount {
    final Violation first;
    long more;

    DenialCount(Violation first) {
      this.first = first;
    }
  }

  private final int most;
  private final AtomicInteger entries = new AtomicInteger();
  private final LongAdder dropped = new LongAdder();
  private final LongAdder seen = new LongAdder();
  private final TallyStripe[] parts = new TallyStripe[PARTS];

  /**
   * @param most how many entries there may be, those that are being written included
   */
  DenialTally(int most) {
    this.most = most;
    for (int i = 0; i < PARTS; i++) {
      parts[i] = new TallyStripe();
    }
  }

  /** Counts a denial; {@code first} is asked only if it is the first of its key. */
  void add(Key key, Supplier<Violation> first) {
    seen.increment();
    if (!parts[(int) (Thread.currentThread().getId() % PARTS)].add(key, first)) {
      dropped.increment();
    }
  }

  /** All that was counted since the last time; room for it is free only when it is settled. */
  List<Violation> drain() {
    Map<Key, Violation> all = new HashMap<>();
    for (TallyStripe part : parts) {
      part.drainTo(all);
    }
    return new ArrayList<>(all.values());
  }

  /** What {@link #drain} has handed out is dealt with, and makes room for others. */
  void settled(int count) {
    entries.addAndGet(-count);
  }

  /** Gives denials up. */
  void drop(long denied) {
    dropped.add(denied);
  }

  long dropped() {
    return dropped.sum();
  }

  /** All denials that were ever told. */
  long seen() {
    return seen.sum();
  }

  /** How many entries wait. */
  int size() {
    return entries.get();
  }

  /** The denials of some threads. */
  private final class TallyStripe {
    private Map<Key, DenialCount> counted = new HashMap<>();

    synchronized boolean add(Key key, Supplier<Violation> first) {
      DenialCount entry = counted.get(key);
      if (entry != null) {
        entry.more++;
        return true;
      }
      if (entries.get() >= most) {
        return false;
      }
      if (entries.incrementAndGet() > most) {
        settled(1);
        return false;
      }
      counted.put(key, new DenialCount(first.get()));
      return true;
    }

    void drainTo(Map<Key, Violation> all) {
      Map<Key, DenialCount> taken;
      synchronized (this) {
        taken = counted;
        counted = new HashMap<>();
      }
      taken.forEach(
          (key, entry) -> {
            Violation own = entry.first.and(entry.more);
            Violation other = all.get(key);
            if (other == null) {
              all.put(key, own);
            } else {
              all.put(key, other.and(own.denied()));
              settled(1);
            }
          });
    }
  }
}
