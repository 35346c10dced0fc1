package io.penstock.inprocess;

import io.penstock.algorithm.FixedPointRate;

/**
 * The time at which a token bucket will be full again, from which its debt follows. Immutable.
 *
 * <p>Times are compared by their difference, so a clock may start at any value and wrap around. An
 * impossible debt, caused by a clock that stepped back, is treated as the largest possible one.
 *
 * @param ticks the last whole tick before the bucket is full
 * @param remainder the debt at that tick, in units of the rate, less than one tick
 */
record FullTime(long ticks, long remainder) {

  /** The state of a bucket with a debt of {@code debt} units at {@code now}. */
  static FullTime owing(FixedPointRate fixedRate, long now, long debt) {
    return new FullTime(now + debt / fixedRate.unitsPerTick(), debt % fixedRate.unitsPerTick());
  }

  /**
   * Returns the debt at {@code now}, in units of {@code fixedRate}, between 0 and the maximum.
   *
   * @param reach the longest delay in ticks that was ever granted for any bucket of the table;
   *     debts beyond an empty bucket are accepted up to this delay
   */
  long debt(FixedPointRate fixedRate, long now, long reach) {
    long maxDebt = fixedRate.ceiling(reach);
    long left = ticks - now;
    if (left < 0) {
      return 0;
    }
    return left > maxDebt / fixedRate.unitsPerTick()
        ? maxDebt
        : Math.min(maxDebt, left * fixedRate.unitsPerTick() + remainder);
  }
}
