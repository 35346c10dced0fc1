package io.penstock.policy.advice;

/**
 * The smallest burst at one rate with which a token bucket denies none of a key's requests, for
 * many keys. Not thread-safe.
 *
 * <p>It is b(r) = the maximum, over all intervals that start and end with an arrival, of arrivals −
 * r·t. As in Kadane's algorithm, one pass suffices: the debt of a bucket without a limit falls by
 * r·Δt between two arrivals, but not below 0, and rises by 1 at an arrival; b(r) is its maximum.
 *
 * <p>Amounts are integers: a token is as many units as the period of the rate has nanoseconds, and
 * r tokens are refilled in a period, so r units in a nanosecond.
 */
final class BurstDemand {
  private final CandidateRate rate;
  private final long unitsPerToken;
  private final long unitsPerNano;
  private final long[] debt;
  private final long[] maxDebt;
  private final long[] lastNanos;

  /**
   * @param keys the number of keys
   */
  BurstDemand(CandidateRate rate, int keys) {
    this.debt = new long[keys];
    this.maxDebt = new long[keys];
    this.lastNanos = new long[keys];
    this.rate = rate;
    this.unitsPerToken = rate.periodNanos();
    this.unitsPerNano = rate.tokens();
  }

  CandidateRate rate() {
    return rate;
  }

  /** Adds an arrival. Times of a key must not decrease. */
  void add(int key, long timeNanos) {
    long left = debt[key];
    long elapsed = timeNanos - lastNanos[key];
    long refilled = elapsed * unitsPerNano;
    // If the product overflows, far more than any debt was refilled.
    boolean isFull =
        Math.multiplyHigh(elapsed, unitsPerNano) != 0 || refilled < 0 || refilled >= left;
    long next = (isFull ? 0 : left - refilled) + unitsPerToken;
    debt[key] = next < 0 ? Long.MAX_VALUE - unitsPerToken : next;
    lastNanos[key] = timeNanos;
    maxDebt[key] = Math.max(maxDebt[key], debt[key]);
  }

  /** Returns the smallest whole burst for a key. */
  long burst(int key) {
    long max = maxDebt[key];
    return max == 0 ? 0 : (max - 1) / unitsPerToken + 1;
  }
}
