package io.penstock.algorithm;

import java.math.BigInteger;

/** Products that may pass 64 bits on their way to a quotient that does not. */
final class WideMath {
  private WideMath() {}

  /** {@code a * b / c}, rounded down; nothing is negative and {@code c} is positive. */
  static long timesOver(long a, long b, long c) {
    return fits(a, b) ? a * b / c : wide(a, b, c)[0].longValueExact();
  }

  /** {@code a * b / c}, rounded up; nothing is negative and {@code c} is positive. */
  static long timesOverUp(long a, long b, long c) {
    if (fits(a, b)) {
      return a * b / c + (a * b % c == 0 ? 0 : 1);
    }
    BigInteger[] parts = wide(a, b, c);
    return parts[0].longValueExact() + parts[1].signum();
  }

  private static boolean fits(long a, long b) {
    return Math.multiplyHigh(a, b) == 0 && a * b >= 0;
  }

  private static BigInteger[] wide(long a, long b, long c) {
    return BigInteger.valueOf(a)
        .multiply(BigInteger.valueOf(b))
        .divideAndRemainder(BigInteger.valueOf(c));
  }
}
