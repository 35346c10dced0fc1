package io.penstock.bench.local;

/** The measured call. A fork loads only one implementation, so that the JIT inlines the call. */
interface Limiter {
  boolean tryAcquire(String key);
}
