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
 * <p>Each denial is counted exactly once: in an entry that {@link #drain} returns, or as dropped if
 * the max number of entries is reached. The tally is striped by thread, and only {@code drain}
 * contends for the lock of a stripe.
 */
final class DenialTally {
  private static final int STRIPES = 16;

  /** Identifies the denials that are counted together. */
  record Key(String rule, String bucketKey, boolean isShadow, long second) {
    /** Strings keep their hash, so this is cheaper than the generated method. */
    @Override
    public int hashCode() {
      return 31 * (31 * bucketKey.hashCode() + rule.hashCode()) + (int) second;
    }
  }

  /** The first denial of an entry, and the number of further ones. */
  private static final class DenialCount {
    final Violation first;
    long more;

    DenialCount(Violation first) {
      this.first = first;
    }
  }

  private final int max;
  private final AtomicInteger entries = new AtomicInteger();
  private final LongAdder dropped = new LongAdder();
  private final LongAdder seen = new LongAdder();
  private final TallyStripe[] stripes = new TallyStripe[STRIPES];

  /**
   * @param max the max number of entries, including those that are being written
   */
  DenialTally(int max) {
    this.max = max;
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new TallyStripe();
    }
  }

  /** Counts a denial; {@code first} is only called if it is the first one of its key. */
  void add(Key key, Supplier<Violation> first) {
    seen.increment();
    if (!stripes[(int) (Thread.currentThread().getId() % STRIPES)].add(key, first)) {
      dropped.increment();
    }
  }

  /** Returns all entries since the last call; they occupy room until {@link #release}. */
  List<Violation> drain() {
    Map<Key, Violation> all = new HashMap<>();
    for (TallyStripe stripe : stripes) {
      stripe.drainTo(all);
    }
    return new ArrayList<>(all.values());
  }

  /** Frees the room of entries that {@link #drain} returned. */
  void release(int count) {
    entries.addAndGet(-count);
  }

  /** Counts denials as dropped. */
  void drop(long denied) {
    dropped.add(denied);
  }

  long dropped() {
    return dropped.sum();
  }

  /** Returns the number of all denials since the start. */
  long seen() {
    return seen.sum();
  }

  /** Returns the number of entries, including those that are being written. */
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
      if (entries.get() >= max) {
        return false;
      }
      if (entries.incrementAndGet() > max) {
        release(1);
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
            Violation own = entry.first.plus(entry.more);
            Violation other = all.get(key);
            if (other == null) {
              all.put(key, own);
            } else {
              all.put(key, other.plus(own.denied()));
              release(1);
            }
          });
    }
  }
}
