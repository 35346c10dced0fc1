package io.penstock.algorithm;

import java.math.BigInteger;

/** A positive fraction. Immutable. */
record Fraction(BigInteger numerator, BigInteger denominator) {

  /**
   * Returns the largest fraction that is at most this one and whose numerator and denominator are
   * within the given bounds; zero if there is none.
   *
   * <p>Walks down the Stern-Brocot tree and takes runs of steps in the same direction at once:
   * {@code low} stays at or below the value and {@code high} above it, and each is replaced by its
   * mediant with the other, repeatedly, until a bound is reached.
   */
  Fraction atMost(BigInteger maxNumerator, BigInteger maxDenominator) {
    Fraction low = new Fraction(BigInteger.ZERO, BigInteger.ONE);
    Fraction high = new Fraction(BigInteger.ONE, BigInteger.ZERO);
    while (true) {
      BigInteger below =
          numerator.multiply(low.denominator).subtract(denominator.multiply(low.numerator));
      if (below.signum() == 0) {
        return low;
      }
      BigInteger above =
          denominator.multiply(high.numerator).subtract(numerator.multiply(high.denominator));
      BigInteger wanted = below.divide(above);
      BigInteger room = maxSteps(low, high, maxNumerator, maxDenominator);
      low = low.plus(high, wanted.min(room));
      if (room.compareTo(wanted) < 0) {
        return low;
      }
      below = numerator.multiply(low.denominator).subtract(denominator.multiply(low.numerator));
      if (below.signum() == 0) {
        return low;
      }
      wanted = above.subtract(BigInteger.ONE).divide(below);
      room = maxSteps(high, low, maxNumerator, maxDenominator);
      high = high.plus(low, wanted.min(room));
      if (room.compareTo(wanted) < 0
          || maxSteps(low, high, maxNumerator, maxDenominator).signum() == 0) {
        return low;
      }
    }
  }

  private Fraction plus(Fraction step, BigInteger times) {
    return new Fraction(
        numerator.add(step.numerator.multiply(times)),
        denominator.add(step.denominator.multiply(times)));
  }

  /** How many times {@code step} can be added to {@code from} within the bounds. */
  private static BigInteger maxSteps(
      Fraction from, Fraction step, BigInteger maxNumerator, BigInteger maxDenominator) {
    BigInteger byNumerator =
        step.numerator.signum() == 0
            ? null
            : maxNumerator.subtract(from.numerator).divide(step.numerator);
    BigInteger byDenominator =
        step.denominator.signum() == 0
            ? null
            : maxDenominator.subtract(from.denominator).divide(step.denominator);
    BigInteger maxSteps =
        byNumerator == null
            ? byDenominator
            : byDenominator == null ? byNumerator : byNumerator.min(byDenominator);
    return maxSteps == null ? BigInteger.ZERO : maxSteps.max(BigInteger.ZERO);
  }
}
