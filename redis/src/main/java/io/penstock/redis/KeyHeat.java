package io.penstock.redis;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * Counts recent requests per key. Thread-safe. The size is fixed: keys that share a slot are
 * counted together, which only makes a key look hotter for a moment.
 *
 * <pre>
 *   | 40 bits: start of the interval, in milliseconds | 12: uncrowded | 12: crowded |
 * </pre>
 */
final class KeyHeat {
  private static final int SLOTS = 1 << 12;
  private static final long INTERVAL_MILLIS = 100;
  private static final int MAX_COUNT = (1 << 12) - 1;

  /** A call is crowded if it has at least this many callers for the key. */
  private static final int MIN_CROWD = 8;

  private static final int MIN_CROWDED_CALLS = 3;

  /** With {@code LEASED}, a key is leased from this many requests in a short time on. */
  private static final int MIN_WARM_REQUESTS = 2;

  private final AtomicLongArray slots = new AtomicLongArray(SLOTS);
  private final LongSupplier nanos;

  KeyHeat(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Records a request; returns whether there was another one for the key recently. */
  boolean recordAndCheckWarm(String key) {
    long counted = count(key, false);
    return uncrowded(counted) >= MIN_WARM_REQUESTS;
  }

  /** Records a call with {@code callers} callers for a key; returns whether its calls queue up. */
  boolean recordAndCheckHot(String key, int callers) {
    long counted = count(key, callers >= MIN_CROWD);
    return crowded(counted) >= MIN_CROWDED_CALLS && crowded(counted) > uncrowded(counted);
  }

  private long count(String key, boolean crowd) {
    int hash = key.hashCode();
    int slot = (hash ^ (hash >>> 13)) & (SLOTS - 1);
    // Milliseconds start at 1, because 0 means an unused slot.
    long now = (nanos.getAsLong() / 1_000_000 + 1) & ((1L << 40) - 1);
    while (true) {
      long before = slots.get(slot);
      long began = before >>> 24;
      boolean expired = began == 0 || now - began > INTERVAL_MILLIS || now - began < 0;
      long uncrowded = (expired ? 0 : uncrowded(before)) + (crowd ? 0 : 1);
      long crowded = (expired ? 0 : crowded(before)) + (crowd ? 1 : 0);
      long after =
          (expired ? now : began) << 24
              | Math.min(MAX_COUNT, uncrowded) << 12
              | Math.min(MAX_COUNT, crowded);
      if (slots.compareAndSet(slot, before, after)) {
        return after;
      }
    }
  }

  private static long uncrowded(long counted) {
    return counted >>> 12 & MAX_COUNT;
  }

  private static long crowded(long counted) {
    return counted & MAX_COUNT;
  }
}
