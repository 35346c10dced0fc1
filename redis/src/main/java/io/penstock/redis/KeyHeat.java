package io.penstock.redis;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * How often keys were asked for lately. Thread-safe. Of fixed size: keys that share a place count
 * together, or take each other's place, which only makes one look hotter or cooler for a moment.
 *
 * <pre>
 *   | 40 bits: when counting began, in milliseconds | 12: a few | 12: many |
 * </pre>
 */
final class KeyHeat {
  private static final int PLACES = 1 << 12;
  private static final long LATELY_MILLIS = 100;
  private static final int MAX_COUNT = (1 << 12) - 1;

  /** So many callers at a time, in most of at least so many calls. */
  private static final int CROWD = 8;

  private static final int CROWDED_CALLS = 3;

  /** So many requests in a short time are worth a lease where it is asked for by name. */
  private static final int WARM = 2;

  private final AtomicLongArray places = new AtomicLongArray(PLACES);
  private final LongSupplier nanos;

  KeyHeat(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Notes a request; returns whether it is not the first for a while. */
  boolean isWarm(String key) {
    long counted = note(key, false);
    return few(counted) >= WARM;
  }

  /** Notes a call with so many callers for a key; returns whether calls of it queue up. */
  boolean isHot(String key, int callers) {
    long counted = note(key, callers >= CROWD);
    return many(counted) >= CROWDED_CALLS && many(counted) > few(counted);
  }

  private long note(String key, boolean crowd) {
    int hash = key.hashCode();
    int place = (hash ^ (hash >>> 13)) & (PLACES - 1);
    // The first millisecond is not 0, which is a place that nothing was noted at.
    long now = (nanos.getAsLong() / 1_000_000 + 1) & ((1L << 40) - 1);
    while (true) {
      long before = places.get(place);
      long began = before >>> 24;
      boolean late = began == 0 || now - began > LATELY_MILLIS || now - began < 0;
      long few = (late ? 0 : few(before)) + (crowd ? 0 : 1);
      long many = (late ? 0 : many(before)) + (crowd ? 1 : 0);
      long after =
          (late ? now : began) << 24 | Math.min(MAX_COUNT, few) << 12 | Math.min(MAX_COUNT, many);
      if (places.compareAndSet(place, before, after)) {
        return after;
      }
    }
  }

  private static long few(long counted) {
    return counted >>> 12 & MAX_COUNT;
  }

  private static long many(long counted) {
    return counted & MAX_COUNT;
  }
}
