package io.penstock.redis;

import io.penstock.Rate;
import java.math.BigInteger;

/**
 * A textbook token bucket in exact arithmetic for a store whose clock may step back: a level, and
 * the time of the last write. While the clock is behind that time, no time has passed; the next
 * request that is not a peek stores the same level with the new time of the clock. Written
 * independently of the script, which must agree with it. Not thread-safe.
 */
final class SteppingBucket {
  private final BigInteger nanos;
  private final BigInteger gainPerTick;
  private final BigInteger full;
  private BigInteger level;
  private long written;

  SteppingBucket(Rate rate, long burstThousandths, long now) {
    this.nanos = rate.nanos();
    this.gainPerTick = rate.thousandths().multiply(BigInteger.valueOf(Ticks.NANOS));
    this.full = amount(burstThousandths);
    this.level = full;
    this.written = now;
  }

  /** The result of a request: waits in ticks, tokens in thousandths. */
  record Answer(boolean allowed, long remaining, long retryAfter, long resetAfter) {}

  Answer take(long now, long cost) {
    BigInteger before = levelAt(now);
    BigInteger after = before.subtract(amount(cost));
    if (after.signum() < 0) {
      if (now < written && amount(cost).compareTo(full) <= 0) {
        write(before, now);
      }
      return answer(false, before, amount(cost).compareTo(full) > 0 ? 0 : ticks(after.negate()));
    }
    if (cost > 0) {
      write(after, now);
    }
    return answer(true, after, 0);
  }

  void refund(long now, long cost) {
    write(levelAt(now).add(amount(cost)).min(full), now);
  }

  private Answer answer(boolean allowed, BigInteger there, long retryAfter) {
    return new Answer(
        allowed, there.divide(nanos).longValueExact(), retryAfter, ticks(full.subtract(there)));
  }

  private BigInteger levelAt(long now) {
    BigInteger elapsed = BigInteger.valueOf(Math.max(0, now - written));
    return level.add(gainPerTick.multiply(elapsed)).min(full);
  }

  private void write(BigInteger next, long now) {
    level = next;
    // A full bucket has no state.
    written = now;
  }

  private BigInteger amount(long thousandths) {
    return BigInteger.valueOf(thousandths).multiply(nanos);
  }

  private long ticks(BigInteger amount) {
    return amount.add(gainPerTick).subtract(BigInteger.ONE).divide(gainPerTick).longValueExact();
  }
}
