package io.penstock.algorithm;

import java.math.BigInteger;

/** A positive fraction. Immutable. */
record Fraction(BigInteger over, BigInteger under) {

  /**
   * The largest fraction that is at most this one and whose parts are at most the given bounds;
   * zero when there is none.
   *
   * <p>Walks the Stern-Brocot tree, as many equal turns at a time as it can: {@code low} stays at
   * or below the value, {@code high} above it, and each is replaced by multiples of the other added
   * to it until a bound is hit.
   */
  Fraction atMost(BigInteger mostOver, BigInteger mostUnder) {
    Fraction low = new Fraction(BigInteger.ZERO, BigInteger.ONE);
    Fraction high = new Fraction(BigInteger.ONE, BigInteger.ZERO);
    while (true) {
      BigInteger below = over.multiply(low.under).subtract(under.multiply(low.over));
      if (below.signum() == 0) {
        return low;
      }
      BigInteger above = under.multiply(high.over).subtract(over.multiply(high.under));
      BigInteger wanted = below.divide(above);
      BigInteger room = turns(low, high, mostOver, mostUnder);
      low = low.plus(high, wanted.min(room));
      if (room.compareTo(wanted) < 0) {
        return low;
      }
      below = over.multiply(low.under).subtract(under.multiply(low.over));
      if (below.signum() == 0) {
        return low;
      }
      wanted = above.subtract(BigInteger.ONE).divide(below);
      room = turns(high, low, mostOver, mostUnder);
      high = high.plus(low, wanted.min(room));
      if (room.compareTo(wanted) < 0 || turns(low, high, mostOver, mostUnder).signum() == 0) {
        return low;
      }
    }
  }

  private Fraction plus(Fraction step, BigInteger times) {
    return new Fraction(over.add(step.over.multiply(times)), under.add(step.under.multiply(times)));
  }

  /** How many times {@code step} can be added to {@code from} within the bounds. */
  private static BigInteger turns(
      Fraction from, Fraction step, BigInteger mostOver, BigInteger mostUnder) {
    BigInteger byOver =
        step.over.signum() == 0 ? null : mostOver.subtract(from.over).divide(step.over);
    BigInteger byUnder =
        step.under.signum() == 0 ? null : mostUnder.subtract(from.under).divide(step.under);
    BigInteger turns = byOver == null ? byUnder : byUnder == null ? byOver : byOver.min(byUnder);
    return turns == null ? BigInteger.ZERO : turns.max(BigInteger.ZERO);
  }
}
