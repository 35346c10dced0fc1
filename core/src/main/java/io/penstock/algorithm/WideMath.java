package io.penstock.algorithm;

import java.math.BigInteger;

/** Division of products that may exceed 64 bits, where the quotient doesn't. */
final class WideMath {
  private WideMath() {}

  /** Returns {@code a * b / c}, rounded down; no argument is negative and {@code c} is positive. */
  static long multiplyDivide(long a, long b, long c) {
    return fits(a, b) ? a * b / c : wide(a, b, c)[0].longValueExact();
  }

  /** Returns {@code a * b / c}, rounded up; no argument is negative and {@code c} is positive. */
  static long multiplyDivideUp(long a, long b, long c) {
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
