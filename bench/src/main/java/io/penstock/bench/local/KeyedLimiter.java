package io.penstock.bench.local;

/** A limiter that keeps a bucket for each key. */
interface KeyedLimiter extends Limiter {
  /** The keys kept, after all that was put off has been done. */
  long keys();
}
