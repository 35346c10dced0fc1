package io.penstock.bench.local;

/** What is measured. A fork loads one implementation only, so that the call costs nothing. */
interface Limiter {
  boolean tryAcquire(String key);
}
