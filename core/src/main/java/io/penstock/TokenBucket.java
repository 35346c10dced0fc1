package io.penstock;

import java.math.BigInteger;
import java.time.Duration;

/**
 * A bucket of {@code burst} tokens that refills continuously at {@code rate}. Immutable.
 *
 * @param rate the rate at which tokens are refilled
 * @param burstThousandths the capacity of the bucket, in thousandths of a token
 */
public record TokenBucket(Rate rate, long burstThousandths) implements Limit {
  private static final BigInteger TEN_YEARS_NANOS =
      BigInteger.valueOf(Duration.ofDays(3653).toNanos());

  public TokenBucket {
    if (burstThousandths <= 0 || burstThousandths > Tokens.MAX * Tokens.ONE) {
      throw new InvalidValueException(
          "burst",
          "must be from 0.001 to " + Tokens.MAX + ": " + Tokens.toDouble(burstThousandths));
    }
    if (windowNanos(rate, burstThousandths).compareTo(TEN_YEARS_NANOS) > 0) {
      throw new IllegalArgumentException(
          "burst / rate must be at most 10 years: "
              + Tokens.toDouble(burstThousandths)
              + " at "
              + rate);
    }
  }

  static TokenBucket of(double tokens, Duration period) {
    double burst = Math.min(Math.max(1, Math.ceil(tokens)), Tokens.MAX);
    return new TokenBucket(Rate.of(tokens, period), Tokens.ONE * (long) burst);
  }

  /**
   * Returns a limit with the same rate and a capacity of {@code tokens}, in steps of a thousandth.
   */
  public TokenBucket burst(double tokens) {
    return new TokenBucket(rate, Tokens.amount("burst", tokens));
  }

  @Override
  public Duration window() {
    return Duration.ofNanos(windowNanos(rate, burstThousandths).longValueExact());
  }

  @Override
  public Reason exceeded() {
    return Reason.TOKEN_BUCKET_EXCEEDED;
  }

  /** Such as {@code 5/min burst 5}. */
  @Override
  public String toString() {
    return rate + " burst " + Tokens.format(burstThousandths);
  }

  private static BigInteger windowNanos(Rate rate, long burstThousandths) {
    BigInteger[] ticks =
        BigInteger.valueOf(burstThousandths)
            .multiply(rate.nanos())
            .divideAndRemainder(rate.thousandths());
    return ticks[1].signum() == 0 ? ticks[0] : ticks[0].add(BigInteger.ONE);
  }
}
