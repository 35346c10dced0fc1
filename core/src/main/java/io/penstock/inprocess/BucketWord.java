package io.penstock.inprocess;

import io.penstock.algorithm.FixedPointRate;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The state of one bucket as a 64-bit word.
 *
 * <pre>
 *   63                                                     1   0
 *  +----------------------------------------------------------+------+
 *  | time at which the bucket is full, in units of its rate   | held |
 *  | since the segment's base, plus BIAS; never 0             |      |
 *  +----------------------------------------------------------+------+
 *   0 = slot was never used     1 = slot is retired
 * </pre>
 *
 * <p>Times are within {@link FixedPointRate#span()} of the base and debts below {@link
 * FixedPointRate#MAX_DEBT}, so with a bias just above 2^60 the sum is between 0 and 2^63.
 */
final class BucketWord {
  static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

  static final long EMPTY = 0;
  static final long RETIRED = 1;
  static final long HELD = 1;

  /**
   * Marks a bucket whose state is in a {@link MultiLimitBucket}; only {@link #RETIRED} follows it.
   */
  static final long MULTI_LIMIT = 2;

  /** Less than the signed debt of any bucket that became full within the span. */
  static final long LONG_FULL = -FixedPointRate.SPAN_UNITS;

  private static final long BIAS = FixedPointRate.SPAN_UNITS + 1;

  private BucketWord() {}

  /** Converts now to units; {@code elapsed} ticks since the base must be within the span. */
  static long instant(FixedPointRate fixedRate, long elapsed) {
    return elapsed * fixedRate.unitsPerTick() + BIAS;
  }

  static long fullAt(long word) {
    return word >>> 1;
  }

  static long word(long fullAt) {
    return fullAt << 1;
  }

  static boolean isHeld(long word) {
    return (word & HELD) != 0 && word != RETIRED;
  }

  static boolean spans(FixedPointRate fixedRate, long elapsed) {
    return elapsed <= fixedRate.span() && elapsed >= -fixedRate.span();
  }

  /**
   * Returns the debt of a bucket at any distance from the base: at most {@code maxDebt}, and
   * negative if the bucket has been full for some time, down to {@link #LONG_FULL}.
   */
  static long signedDebt(long word, FixedPointRate fixedRate, long elapsed, long maxDebt) {
    if (elapsed < -fixedRate.span()) {
      return maxDebt;
    }
    long debtAtBase = fullAt(word) - BIAS;
    if (elapsed > 0
        && elapsed - fixedRate.span() > Math.max(0, debtAtBase) / fixedRate.unitsPerTick()) {
      return LONG_FULL;
    }
    return Math.max(LONG_FULL, Math.min(maxDebt, debtAtBase - elapsed * fixedRate.unitsPerTick()));
  }
}
