package io.penstock;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

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
  private static final Map<Duration, String> UNITS = units();

  public Rate {
    if (thousandths.signum() <= 0 || nanos.signum() <= 0) {
      throw new InvalidValueException("rate", "must be positive: " + thousandths + "/" + nanos);
    }
    BigInteger common = thousandths.gcd(nanos);
    thousandths = thousandths.divide(common);
    nanos = nanos.divide(common);
    BigInteger max = nanos.multiply(BigInteger.valueOf(Tokens.MAX * Tokens.ONE));
    if (thousandths.multiply(NANOS_PER_SECOND).compareTo(max) > 0) {
      throw new InvalidValueException(
          "rate",
          "must be at most " + Tokens.MAX + " tokens a second: " + perSecond(thousandths, nanos));
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

  private static Map<Duration, String> units() {
    Map<Duration, String> units = new LinkedHashMap<>();
    units.put(Duration.ofSeconds(1), "s");
    units.put(Duration.ofMinutes(1), "min");
    units.put(Duration.ofHours(1), "h");
    units.put(Duration.ofDays(1), "d");
    return units;
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

  /**
   * In the first unit of time that has a whole number of tokens, such as {@code 5/min}, or else of
   * thousandths; other rates are rounded.
   */
  @Override
  public String toString() {
    for (BigInteger step : List.of(BigInteger.valueOf(Tokens.ONE), BigInteger.ONE)) {
      for (Map.Entry<Duration, String> unit : UNITS.entrySet()) {
        BigInteger[] gained =
            thousandths
                .multiply(BigInteger.valueOf(unit.getKey().toNanos()))
                .divideAndRemainder(nanos);
        if (gained[1].signum() == 0 && gained[0].mod(step).signum() == 0) {
          return Tokens.format(gained[0].longValueExact()) + "/" + unit.getValue();
        }
      }
    }
    return new BigDecimal(perSecond()).round(new MathContext(9)).toPlainString() + "/s";
  }

  /**
   * Formats a period for the text after a slash, such as {@code min}, {@code 10s}, {@code 1m30s}.
   */
  static String formatPeriod(Duration period) {
    String unit = UNITS.get(period);
    return unit != null ? unit : period.toString().substring(2).toLowerCase(Locale.ROOT);
  }
}
