package io.penstock.redis;

/**
 * Estimates the server's clock from its replies. Thread-safe. The estimate is late by the time that
 * the last reply took to arrive.
 */
final class ServerClock {
  private static final long UNKNOWN = Long.MIN_VALUE;

  private volatile long offsetMicros = UNKNOWN;

  /** Called with the time in a reply that has just arrived. */
  void set(long micros) {
    offsetMicros = micros - System.nanoTime() / Ticks.NANOS;
  }

  /** The estimated time in microseconds; 0 before the first reply. */
  long micros() {
    long offset = offsetMicros;
    return offset == UNKNOWN ? 0 : Math.max(0, offset + System.nanoTime() / Ticks.NANOS);
  }
}
