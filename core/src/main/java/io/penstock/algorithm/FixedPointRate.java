package io.penstock.algorithm;

import io.penstock.InvalidValueException;
import io.penstock.Rate;
import io.penstock.TokenBucket;
import java.math.BigInteger;

/**
 * The rate and burst of a token bucket, converted to integers for a clock with a given tick, so
 * that decisions only add and compare {@code long} values. Immutable.
 *
 * <p>The state of a bucket is its debt: the tokens missing from it or, equivalently, the time until
 * it is full. Both are whole numbers of one unit, which is chosen so that a tick is {@link
 * #unitsPerTick} units and a thousandth of a token is {@link #unitsPerThousandth} units:
 *
 * <pre>
 *   rate = unitsPerTick thousandths in unitsPerThousandth ticks
 *   3/s on nanoseconds: a tick is 3 units, a thousandth of a token 1,000,000 units
 * </pre>
 *
 * <p>So a third of a second, which is not a whole number of ticks, is exactly 1,000,000,000 units.
 * If a rate would need units so small that the debt of a whole burst overflows, it is rounded down
 * once, here, by at most one part in a million; {@link #rate()} returns the rounded rate.
 */
public final class FixedPointRate {
  /** Upper bound of debts in 64-bit arithmetic. */
  public static final long MAX_DEBT = 1L << 62;

  /** Maximum of {@link #unitsPerThousandth} where integers are exact only below 2^53. */
  public static final long MAX_UNITS_IN_DOUBLES = 1L << 49;

  /** The length of {@link #span()} in units, before rounding down to a whole tick. */
  public static final long SPAN_UNITS = 1L << 60;

  private static final long MAX_UNITS_PER_TICK = 1L << 26;
  private static final BigInteger MILLION = BigInteger.valueOf(1_000_000);

  private final long unitsPerTick;
  private final long unitsPerThousandth;
  private final long burst;
  private final long burstThousandths;
  private final long tickNanos;
  private final long span;

  /** The largest amount, in thousandths, and the longest delay, in ticks, that are not clamped. */
  private final long maxThousandths;

  private final long maxDelay;

  private FixedPointRate(Fraction thousandthsPerTick, long burstThousandths, long tickNanos) {
    this.unitsPerTick = thousandthsPerTick.numerator().longValueExact();
    this.unitsPerThousandth = thousandthsPerTick.denominator().longValueExact();
    this.burst = Math.multiplyExact(burstThousandths, unitsPerThousandth);
    this.burstThousandths = burstThousandths;
    this.tickNanos = tickNanos;
    this.span = SPAN_UNITS / unitsPerTick;
    this.maxThousandths = (MAX_DEBT - 1) / unitsPerThousandth;
    this.maxDelay = (MAX_DEBT - burst) / unitsPerTick;
  }

  /** Converts {@code limit} for a clock whose tick is {@code tickNanos} nanoseconds. */
  public static FixedPointRate of(TokenBucket limit, long tickNanos) {
    return of(limit, tickNanos, Long.MAX_VALUE);
  }

  /**
   * Converts {@code limit} to units large enough that a thousandth of a token is at most {@code
   * maxUnitsPerThousandth} units, and that no debt exceeds {@link #MAX_DEBT}. The largest debt is
   * two bursts, or one burst plus everything promised to waiting callers.
   */
  public static FixedPointRate of(TokenBucket limit, long tickNanos, long maxUnitsPerThousandth) {
    Rate rate = limit.rate();
    BigInteger thousandths = rate.thousandths().multiply(BigInteger.valueOf(tickNanos));
    BigInteger common = thousandths.gcd(rate.nanos());
    Fraction exact = new Fraction(thousandths.divide(common), rate.nanos().divide(common));
    Fraction rounded =
        exact.atMost(
            BigInteger.valueOf(MAX_UNITS_PER_TICK),
            BigInteger.valueOf(
                Math.min(maxUnitsPerThousandth, MAX_DEBT / 2 / limit.burstThousandths())));
    // (exact - kept) / exact <= 1 / million, without dividing
    BigInteger whole = exact.numerator().multiply(rounded.denominator());
    BigInteger lost = whole.subtract(rounded.numerator().multiply(exact.denominator()));
    if (lost.multiply(MILLION).compareTo(whole) > 0) {
      throw new InvalidValueException(
          "rate", "must be representable within one part in a million: " + rate);
    }
    return new FixedPointRate(rounded, limit.burstThousandths(), tickNanos);
  }

  /** Units per tick. */
  public long unitsPerTick() {
    return unitsPerTick;
  }

  /** Units per thousandth of a token. */
  public long unitsPerThousandth() {
    return unitsPerThousandth;
  }

  /** How far times can be from a common base and still be expressed in units, in ticks. */
  public long span() {
    return span;
  }

  /** The burst, in thousandths of a token. */
  public long burstThousandths() {
    return burstThousandths;
  }

  /** The debt of an empty bucket, in units. */
  public long burst() {
    return burst;
  }

  /** The effective rate: the rate of the limit, unless it had to be rounded down. */
  public Rate rate() {
    return new Rate(
        BigInteger.valueOf(unitsPerTick),
        BigInteger.valueOf(unitsPerThousandth).multiply(BigInteger.valueOf(tickNanos)));
  }

  /** Whether a cost is at most the burst; otherwise its request can never pass. */
  public boolean isWithinBurst(long costThousandths) {
    return costThousandths <= burstThousandths;
  }

  /**
   * Converts an amount of tokens to units; amounts above the maximum debt are clamped to just below
   * it.
   */
  public long units(long thousandths) {
    return thousandths > maxThousandths ? MAX_DEBT - 1 : thousandths * unitsPerThousandth;
  }

  /** Tokens left at this debt, in whole thousandths, rounded down; 0 if the bucket is overdrawn. */
  public long remaining(long debt) {
    return debt >= burst ? 0 : (burst - debt) / unitsPerThousandth;
  }

  /** Whole ticks until {@code units} of debt are refilled, rounded up. */
  public long ticks(long units) {
    return units <= 0 ? 0 : (units - 1) / unitsPerTick + 1;
  }

  /** The maximum debt after a request that may be delayed by {@code delayTicks}. */
  public long ceiling(long delayTicks) {
    return burst + Math.min(delayTicks, maxDelay) * unitsPerTick;
  }

  /**
   * The debt after an unconditional charge: at most one burst below empty, or unchanged if it is
   * already larger.
   */
  public long charged(long debt, long cost) {
    return Math.max(debt, Math.min(debt + cost, 2 * burst));
  }

  /**
   * Converts a debt under another limit to this one: the same number of missing tokens, rounded up.
   */
  public long carry(FixedPointRate from, long debt) {
    BigInteger[] units =
        BigInteger.valueOf(debt)
            .multiply(BigInteger.valueOf(unitsPerThousandth))
            .divideAndRemainder(BigInteger.valueOf(from.unitsPerThousandth));
    BigInteger up = units[1].signum() == 0 ? units[0] : units[0].add(BigInteger.ONE);
    return up.min(BigInteger.valueOf(ceiling(Long.MAX_VALUE))).longValueExact();
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof FixedPointRate that
            && unitsPerTick == that.unitsPerTick
            && unitsPerThousandth == that.unitsPerThousandth
            && burst == that.burst
            && tickNanos == that.tickNanos);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(unitsPerTick * 31 + unitsPerThousandth) * 31 + Long.hashCode(burst);
  }

  @Override
  public String toString() {
    return unitsPerTick
        + " units per tick, "
        + unitsPerThousandth
        + " per thousandth, burst "
        + burst;
  }
}
