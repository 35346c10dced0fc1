package io.penstock.server.figures;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Counts the keys that occur most in a sliding window, in bounded memory. Not thread-safe.
 *
 * <p>This is Space-Saving with evictions in batches. Each tracked key has one counter per minute of
 * the window. When there are more keys than the limit, the smaller half is evicted, and {@code
 * floor} keeps the largest count that any evicted key had in each minute. A key that is not tracked
 * can't have more, so a new key starts with the counts of the floor, which is its possible error.
 * Counts are therefore never too small, and exact for keys that were tracked since they first
 * occurred. The error of other keys is the part of the floor that they inherited; it is known and
 * stays small, because only the less frequent half is evicted.
 *
 * <p>During a flood of keys that occur once, most of the work would be to add and evict them.
 * {@link #addRare} therefore only collects such keys, and if there are enough of them to cause an
 * eviction, {@link #trim} raises the floor by one instead.
 */
final class HeavyHitters {
  /** The number of counters of a key, one per minute: the current one and those before it. */
  static final int MINUTES = 15;

  /** The min number of keys that remain after an eviction. */
  static final int MIN_KEPT = 32;

  private final Map<DeniedKey, TrackedKey> keys = new HashMap<>();
  private final int[] floor = new int[MINUTES];
  private final long[] totals = new long[MINUTES];

  /** Keys that occurred once since the last call of {@link #trim}. */
  private final List<DeniedKey> rare = new ArrayList<>();

  private long minute;

  HeavyHitters(long minute) {
    this.minute = minute;
  }

  /** The counters of a key. */
  private static final class TrackedKey {
    final int[] counts;
    final long since;
    final int sinceError;
    long total;
    Instant last;

    TrackedKey(int[] floor, long minute, Instant last) {
      this.counts = floor.clone();
      this.since = minute;
      this.sinceError = counts[slot(minute)];
      this.total = Arrays.stream(counts).asLongStream().sum();
      this.last = last;
    }

    void add(long count, int slot, Instant at) {
      int before = counts[slot];
      counts[slot] = (int) Math.min(Integer.MAX_VALUE, before + count);
      total += counts[slot] - before;
      last = at;
    }

    void clear(int slot) {
      total -= counts[slot];
      counts[slot] = 0;
    }

    /** Returns what was inherited from the floor and has not expired. */
    long error(long minute) {
      long error = since > minute - MINUTES ? sinceError : 0;
      for (long before = minute - MINUTES + 1; before < since; before++) {
        error += counts[slot(before)];
      }
      return error;
    }
  }

  private static int slot(long minute) {
    return (int) Math.floorMod(minute, (long) MINUTES);
  }

  /** Moves the window to a minute; counters that leave it are dropped. */
  void advance(long now) {
    long first = Math.max(minute + 1, now - MINUTES + 1);
    for (long entered = first; entered <= now; entered++) {
      int slot = slot(entered);
      floor[slot] = 0;
      totals[slot] = 0;
      for (Iterator<TrackedKey> all = keys.values().iterator(); all.hasNext(); ) {
        TrackedKey key = all.next();
        key.clear(slot);
        if (key.total == 0) {
          all.remove();
        }
      }
    }
    minute = Math.max(minute, now);
  }

  /** Counts occurrences of a key in the current minute. */
  void add(DeniedKey key, long count, Instant at) {
    int slot = slot(minute);
    totals[slot] += count;
    TrackedKey tracked = keys.get(key);
    if (tracked == null) {
      tracked = new TrackedKey(floor, minute, at);
      keys.put(key, tracked);
    }
    tracked.add(count, slot, at);
  }

  /**
   * Counts one occurrence of a key in the current minute. No key may be passed twice before the
   * next call of {@link #trim}, and then not to {@link #add}.
   */
  void addRare(DeniedKey key, Instant at) {
    TrackedKey tracked = keys.get(key);
    if (tracked == null) {
      rare.add(key);
    } else {
      int slot = slot(minute);
      totals[slot]++;
      tracked.add(1, slot, at);
    }
  }

  private void addCollected(int limit, Instant at) {
    if (keys.size() >= limit / 2 && rare.size() >= limit / 2) {
      int slot = slot(minute);
      totals[slot] += rare.size();
      floor[slot]++;
    } else {
      rare.forEach(key -> add(key, 1, at));
    }
    rare.clear();
  }

  /**
   * Adds the keys that {@link #addRare} has collected. If there are more keys than {@code limit},
   * evicts those with the smaller counts.
   */
  void trim(int limit, Instant at) {
    addCollected(limit, at);
    trim(limit);
  }

  /** If there are more keys than {@code limit}, evicts those with the smaller counts. */
  void trim(int limit) {
    if (keys.size() <= limit) {
      return;
    }
    int evicted = keys.size() - Math.max(MIN_KEPT, limit / 2);
    long[] sorted = keys.values().stream().mapToLong(key -> key.total).sorted().toArray();
    long threshold = sorted[evicted];
    int ties = evicted - smaller(sorted, threshold);
    for (Iterator<TrackedKey> all = keys.values().iterator(); all.hasNext(); ) {
      TrackedKey key = all.next();
      if (key.total < threshold || (key.total == threshold && ties-- > 0)) {
        for (int slot = 0; slot < MINUTES; slot++) {
          floor[slot] = Math.max(floor[slot], key.counts[slot]);
        }
        all.remove();
      }
    }
  }

  private static int smaller(long[] sorted, long threshold) {
    int count = 0;
    while (sorted[count] < threshold) {
      count++;
    }
    return count;
  }

  /**
   * Passes on the tracked keys, in no order, except those of whose count more than half may be an
   * error: most likely they are rare keys that took the place of others.
   */
  void forEach(Consumer<TopKey> action) {
    keys.forEach(
        (key, tracked) -> {
          long error = tracked.error(minute);
          if (2 * error <= tracked.total) {
            action.accept(new TopKey(key.rule(), key.key(), tracked.total, error, tracked.last));
          }
        });
  }

  /** Returns the number of all occurrences in the window. */
  long total() {
    return Arrays.stream(totals).sum();
  }

  int size() {
    return keys.size();
  }
}
