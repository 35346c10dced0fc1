package io.penstock.inprocess;

import io.penstock.algorithm.FixedPointRate;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The state of one bucket as a word of 64 bits.
 *
 * <pre>
 *   63                                                     1   0
 *  +----------------------------------------------------------+------+
 *  | instant at which the bucket is full, in units of its     | held |
 *  | pace since the segment's base, plus BIAS; never 0          |      |
 *  +----------------------------------------------------------+------+
 *   0 = no bucket was ever here     1 = this slot is used up for good
 * </pre>
 *
 * <p>Instants lie within {@link FixedPointRate#span()} of the base and debts below {@link
 * FixedPointRate#MAX_DEBT}: with a bias just above 2^60 the sum stays between 0 and 2^63.
 */
final class BucketWord {
  static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

  static final long EMPTY = 0;
  static final long RETIRED = 1;
  static final long HELD = 1;

  /** In place of a state that is in {@link MultiLimitBucket}; only {@link #RETIRED} follows it. */
  static final long FORMS = 2;

  /** Less than any bucket owes that became full within the span. */
  static final long LONG_FULL = -FixedPointRate.SPAN_UNITS;

  private static final long BIAS = FixedPointRate.SPAN_UNITS + 1;

  private BucketWord() {}

  /** Now, as an instant in units; {@code elapsed} ticks since the base lie within the span. */
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
   * What a bucket owes at any distance from the base: at most {@code most}, and negative for one
   * that has been full for some time, down to {@link #LONG_FULL}.
   */
  static long owes(long word, FixedPointRate fixedRate, long elapsed, long most) {
    if (elapsed < -fixedRate.span()) {
      return most;
    }
    long owed = fullAt(word) - BIAS;
    if (elapsed > 0 && elapsed - fixedRate.span() > Math.max(0, owed) / fixedRate.unitsPerTick()) {
      return LONG_FULL;
    }
    return Math.max(LONG_FULL, Math.min(most, owed - elapsed * fixedRate.unitsPerTick()));
  }
}
