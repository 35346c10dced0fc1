package io.penstock.bench.redis;

import java.io.Closeable;

/** The measured limiter. Thread-safe. */
interface SharedLimiter extends Closeable {
  /** Returns whether the request is allowed. */
  boolean tryAcquire(String key) throws GaveUpException;

  /** Announces the number of concurrent callers. */
  default void expect(int callers) {}

  @Override
  void close();
}
