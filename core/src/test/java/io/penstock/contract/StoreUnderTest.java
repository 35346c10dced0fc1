package io.penstock.contract;

import io.penstock.RateLimiter;
import io.penstock.Store;
import java.time.Duration;

/** A store that the conformance suite tests, with a time that moves only by {@link #advance}. */
interface StoreUnderTest {
  /** Returns a store without buckets. Called once by each test. */
  Store store();

  /** Moves the time of the store. */
  void advance(Duration by);

  /** The resolution of the store's time: hints are rounded up to it. */
  Duration tick();

  /**
   * Returns what is left of a bucket after a denied request. A store may take a moment to give
   * tokens back, so an implementation may wait here until the expected amount is left.
   */
  default double remaining(RateLimiter limiter, String key, double expected) {
    return limiter.peek(key).remaining();
  }
}
