package io.penstock.algorithm;

import io.penstock.Rate;
import java.math.BigInteger;

/**
 * A textbook token bucket in exact arithmetic: a level of tokens and the time of the last change.
 * Written independently of {@link Bucket}, which must agree with it.
 *
 * <p>Amounts are thousandths of a token times the nanoseconds of the rate's period, so that each
 * nanosecond adds a whole number of them.
 */
public final class ReferenceBucket {
  private final BigInteger nanos;
  private final BigInteger gainPerTick;
  private final BigInteger full;
  private BigInteger level;
  private long at;

  /** The longest delay ever granted, in ticks. */
  private BigInteger reach = BigInteger.ZERO;

  public ReferenceBucket(Rate rate, long burstThousandths, long tickNanos, long now) {
    this.nanos = rate.nanos();
    this.gainPerTick = rate.thousandths().multiply(BigInteger.valueOf(tickNanos));
    this.full = amount(burstThousandths);
    this.level = full;
    this.at = now;
  }

  /** The result of a request: waits in ticks, tokens in thousandths. */
  public record Answer(
      boolean allowed,
      boolean neverAllowed,
      long retryAfter,
      long delay,
      long remaining,
      long reset) {}

  public Answer take(long now, long cost, long maxDelay) {
    BigInteger delay = BigInteger.valueOf(maxDelay);
    BigInteger level = levelAt(now, reach);
    if (amount(cost).compareTo(full) > 0) {
      return new Answer(false, true, 0, 0, remaining(level), reset(level));
    }
    BigInteger after = level.subtract(amount(cost));
    BigInteger least = gainPerTick.multiply(delay).negate();
    if (after.compareTo(least) < 0) {
      if (cost > 0 && level.compareTo(stated(now)) != 0) {
        set(level, now);
      }
      long wait = ticks(least.subtract(after));
      return new Answer(false, false, wait, 0, remaining(level), reset(level));
    }
    if (cost > 0) {
      set(after, now);
    }
    return new Answer(true, false, 0, ticks(after.negate()), remaining(after), reset(after));
  }

  public void charge(long now, long cost) {
    BigInteger level = levelAt(now, reach);
    BigInteger lowest = level.min(full.negate());
    set(level.subtract(amount(cost)).max(lowest), now);
  }

  public void refund(long now, long cost) {
    set(levelAt(now, reach).add(amount(cost)).min(full), now);
  }

  private void set(BigInteger level, long now) {
    this.level = level;
    this.at = now;
    reach = reach.max(BigInteger.valueOf(ticks(level.negate())));
  }

  private BigInteger levelAt(long now, BigInteger reach) {
    return stated(now).max(gainPerTick.multiply(reach).negate());
  }

  /** Updates the level to the current time; a clock that stepped back removes what it had added. */
  private BigInteger stated(long now) {
    return level.add(gainPerTick.multiply(BigInteger.valueOf(now - at))).min(full);
  }

  private BigInteger amount(long thousandths) {
    return nanos.multiply(BigInteger.valueOf(thousandths));
  }

  private long remaining(BigInteger level) {
    return level.max(BigInteger.ZERO).divide(nanos).longValueExact();
  }

  private long reset(BigInteger level) {
    return ticks(full.subtract(level));
  }

  private long ticks(BigInteger amount) {
    if (amount.signum() <= 0) {
      return 0;
    }
    return amount.add(gainPerTick).subtract(BigInteger.ONE).divide(gainPerTick).longValueExact();
  }
}
