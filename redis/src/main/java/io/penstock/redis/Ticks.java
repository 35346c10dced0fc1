package io.penstock.redis;

/** Conversion of Redis time, which is in microseconds. */
final class Ticks {
  /** Nanoseconds per tick. */
  static final long NANOS = 1_000;

  private Ticks() {}

  static long toNanos(long ticks) {
    return ticks > Long.MAX_VALUE / NANOS ? Long.MAX_VALUE : ticks * NANOS;
  }
}
