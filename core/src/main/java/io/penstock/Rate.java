package io.penstock;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.time.Duration;

/**
 * Tokens per period, as an exact fraction: 0.083 per second is 83 tokens in 1000 seconds.
 * Immutable. Two rates are equal if they yield the same tokens in the same time, regardless of how
 * they were written.
 *
 * @param thousandths thousandths of a token gained in {@code nanos}; the two are in lowest terms
 * @param nanos the time in which they are gained, in nanoseconds
 */
public record Rate(BigInteger thousandths, BigInteger nanos) {
  private static final BigInteger NANOS_PER_SECOND = BigInteger.valueOf(1_000_000_000);

  public Rate {
    if (thousandths.signum() <= 0 || nanos.signum() <= 0) {
      throw new IllegalArgumentException("rate must be positive: " + thousandths + "/" + nanos);
    }
    BigInteger common = thousandths.gcd(nanos);
    thousandths = thousandths.divide(common);
    nanos = nanos.divide(common);
    BigInteger max = nanos.multiply(BigInteger.valueOf(Tokens.MAX * Tokens.ONE));
    if (thousandths.multiply(NANOS_PER_SECOND).compareTo(max) > 0) {
      throw new IllegalArgumentException(
          "rate must be at most "
              + Tokens.MAX
              + " tokens a second: "
              + perSecond(thousandths, nanos));
    }
  }

  /** A rate of {@code tokens} per {@code period}. */
  public static Rate of(double tokens, Duration period) {
    return of(Tokens.positive("rate", tokens), period);
  }

  /** A rate of {@code tokens} per {@code period}; all decimal places are kept. */
  public static Rate of(BigDecimal tokens, Duration period) {
    if (period.isNegative() || period.isZero()) {
      throw new IllegalArgumentException("period must be positive: " + period);
    }
    BigInteger nanos =
        BigInteger.valueOf(period.getSeconds())
            .multiply(NANOS_PER_SECOND)
            .add(BigInteger.valueOf(period.getNano()));
    BigDecimal thousandths = tokens.movePointRight(3);
    int places = Math.max(0, thousandths.scale());
    return new Rate(
        thousandths.movePointRight(places).toBigIntegerExact(),
        nanos.multiply(BigInteger.TEN.pow(places)));
  }

  /** Tokens per second, rounded to the nearest {@code double}. */
  public double perSecond() {
    return perSecond(thousandths, nanos);
  }

  private static double perSecond(BigInteger thousandths, BigInteger nanos) {
    return new BigDecimal(thousandths)
        .divide(new BigDecimal(nanos), MathContext.DECIMAL128)
        .movePointRight(6)
        .doubleValue();
  }

  @Override
  public String toString() {
    return new BigDecimal(perSecond()).round(new MathContext(9)).toPlainString() + "/s";
  }
}
