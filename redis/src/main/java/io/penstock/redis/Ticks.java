package io.penstock.redis;

/** The time of Redis, which is counted in microseconds. */
final class Ticks {
  /** Nanoseconds in a tick. */
  static final long NANOS = 1_000;

  private Ticks() {}

  static long toNanos(long ticks) {
    return ticks > Long.MAX_VALUE / NANOS ? Long.MAX_VALUE : ticks * NANOS;
  }
}
