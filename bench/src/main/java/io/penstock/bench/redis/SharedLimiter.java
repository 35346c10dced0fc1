package io.penstock.bench.redis;

import java.io.Closeable;

/** What is measured. Thread-safe. */
interface SharedLimiter extends Closeable {
  /** Allowed or not. */
  boolean tryAcquire(String key) throws GaveUpException;

  /** So many callers are about to ask at once. */
  default void expect(int callers) {}

  @Override
  void close();
}
