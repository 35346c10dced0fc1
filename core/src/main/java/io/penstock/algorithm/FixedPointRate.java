package io.penstock.algorithm;

import io.penstock.Rate;
import io.penstock.TokenBucket;
import java.math.BigInteger;

/**
 * A token bucket's limit on a clock of whole ticks, in numbers that only need to be added and
 * compared. Immutable.
 *
 * <p>A bucket is described by its debt: the tokens missing from it, or, which is the same, the time
 * until it is full. Both are whole numbers of one unit, chosen so that a tick is {@link
 * #unitsPerTick} of them and a thousandth of a token {@link #unitsPerThousandth}:
 *
 * <pre>
 *   rate = unitsPerTick thousandths in unitsPerThousandth ticks
 *   3/s on nanoseconds: a tick is 3 units, a thousandth of a token 1,000,000 units
 * </pre>
 *
 * <p>So a third of a second, which no number of ticks says exactly, is 1,000,000,000 units. A rate
 * that would need units too small for the debt of a whole burst to stay in range is rounded down
 * once, here, by at most one part in a million; {@link #rate()} tells.
 */
public final class FixedPointRate {
  /** No debt is larger on this machine's own numbers. */
  public static final long MAX_DEBT = 1L << 62;

  /** No unit of a thousandth is larger where numbers are exact below 2^53 only. */
  public static final long MAX_UNITS_IN_DOUBLES = 1L << 49;

  /** How many units {@link #span()} is, rounded down to a whole tick. */
  public static final long SPAN_UNITS = 1L << 60;

  private static final long MAX_UNITS_PER_TICK = 1L << 26;
  private static final BigInteger MILLION = BigInteger.valueOf(1_000_000);

  private final long unitsPerTick;
  private final long unitsPerThousandth;
  private final long burst;
  private final long burstThousandths;
  private final long tickNanos;
  private final long span;

  /** The largest amount that is not cut, in thousandths, and the longest delay, in ticks. */
  private final long mostThousandths;

  private final long mostDelay;

  private FixedPointRate(Fraction thousandthsPerTick, long burstThousandths, long tickNanos) {
    this.unitsPerTick = thousandthsPerTick.over().longValueExact();
    this.unitsPerThousandth = thousandthsPerTick.under().longValueExact();
    this.burst = Math.multiplyExact(burstThousandths, unitsPerThousandth);
    this.burstThousandths = burstThousandths;
    this.tickNanos = tickNanos;
    this.span = SPAN_UNITS / unitsPerTick;
    this.mostThousandths = (MAX_DEBT - 1) / unitsPerThousandth;
    this.mostDelay = (MAX_DEBT - burst) / unitsPerTick;
  }

  /** The pace of {@code limit} on a clock whose tick is {@code tickNanos} nanoseconds. */
  public static FixedPointRate of(TokenBucket limit, long tickNanos) {
    return of(limit, tickNanos, Long.MAX_VALUE);
  }

  /**
   * The pace of {@code limit} in units so large that a thousandth of a token is at most {@code
   * maxUnitsPerThousandth} of them, and no debt more than {@link #MAX_DEBT}: two bursts, or a burst
   * and everything promised to those who wait.
   */
  public static FixedPointRate of(TokenBucket limit, long tickNanos, long maxUnitsPerThousandth) {
    Rate rate = limit.rate();
    BigInteger over = rate.thousandths().multiply(BigInteger.valueOf(tickNanos));
    BigInteger common = over.gcd(rate.nanos());
    Fraction exact = new Fraction(over.divide(common), rate.nanos().divide(common));
    Fraction kept =
        exact.atMost(
            BigInteger.valueOf(MAX_UNITS_PER_TICK),
            BigInteger.valueOf(
                Math.min(maxUnitsPerThousandth, MAX_DEBT / 2 / limit.burstThousandths())));
    // (exact - kept) / exact <= 1 / million, without dividing
    BigInteger whole = exact.over().multiply(kept.under());
    BigInteger lost = whole.subtract(kept.over().multiply(exact.under()));
    if (lost.multiply(MILLION).compareTo(whole) > 0) {
      throw new IllegalArgumentException(
          "rate must be representable within one part in a million: " + rate);
    }
    return new FixedPointRate(kept, limit.burstThousandths(), tickNanos);
  }

  /** How many units make a tick. */
  public long unitsPerTick() {
    return unitsPerTick;
  }

  /** How many units make a thousandth of a token. */
  public long unitsPerThousandth() {
    return unitsPerThousandth;
  }

  /** How far from a common base instants can lie and still be counted in units, in ticks. */
  public long span() {
    return span;
  }

  /** How many thousandths of a token the bucket holds. */
  public long burstThousandths() {
    return burstThousandths;
  }

  /** The debt of an empty bucket, in units. */
  public long burst() {
    return burst;
  }

  /** The rate that is kept: the limit's own, unless that had to be rounded down. */
  public Rate rate() {
    return new Rate(
        BigInteger.valueOf(unitsPerTick),
        BigInteger.valueOf(unitsPerThousandth).multiply(BigInteger.valueOf(tickNanos)));
  }

  /** Whether a request of this cost can pass at all. */
  public boolean holds(long costThousandths) {
    return costThousandths <= burstThousandths;
  }

  /** An amount of tokens in units; what is more than any debt is just below the most. */
  public long units(long thousandths) {
    return thousandths > mostThousandths ? MAX_DEBT - 1 : thousandths * unitsPerThousandth;
  }

  /** Tokens left at this debt, in whole thousandths, rounded down; none when over-drawn. */
  public long remaining(long debt) {
    return debt >= burst ? 0 : (burst - debt) / unitsPerThousandth;
  }

  /** Whole ticks until {@code units} of debt have been paid by time, rounded up. */
  public long ticks(long units) {
    return units <= 0 ? 0 : (units - 1) / unitsPerTick + 1;
  }

  /** The debt at which a request still passes if it may be held back for {@code delayTicks}. */
  public long ceiling(long delayTicks) {
    return burst + Math.min(delayTicks, mostDelay) * unitsPerTick;
  }

  /** The debt at which a charge stops: one burst below empty, or where it is already. */
  public long charged(long debt, long cost) {
    return Math.max(debt, Math.min(debt + cost, 2 * burst));
  }

  /** What a debt under another limit is under this one: the same missing tokens, rounded up. */
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
    return unitsPerTick + " units a tick, " + unitsPerThousandth + " a thousandth, burst " + burst;
  }
}
