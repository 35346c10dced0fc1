package io.penstock.bench.local;

/** A limiter that keeps a bucket for each key. */
interface KeyedLimiter extends Limiter {
  /** Returns the number of keys, after pending maintenance is complete. */
  long keys();
}
