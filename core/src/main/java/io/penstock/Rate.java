package io.penstock;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.time.Duration;

/**
 * Tokens per period, kept exactly: 0.083 per second is 83 tokens in 1000 seconds. Immutable; two
 * rates are equal when they bring the same tokens in the same time, however they were written.
 *
 * @param thousandths thousandths of a token gained in {@code nanos}, in lowest terms with it
 * @param nanos the time that this takes, in nanoseconds
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
    BigInteger most = nanos.multiply(BigInteger.valueOf(Tokens.MAX * Tokens.ONE));
    if (thousandths.multiply(NANOS_PER_SECOND).compareTo(most) > 0) {
      throw new IllegalArgumentException(
          "rate must be at most "
              + Tokens.MAX
              + " tokens a second: "
              + perSecond(thousandths, nanos));
    }
  }

  /** {@code tokens} in each {@code period}. */
  public static Rate of(double tokens, Duration period) {
    return of(Tokens.positive("rate", tokens), period);
  }

  /** {@code tokens} in each {@code period}; any number of decimal places is kept. */
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

  /** Tokens a second, as near as a {@code double} comes. */
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
