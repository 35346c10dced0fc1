package io.penstock.algorithm;

/**
 * A token bucket as a value: the time at which it will be full again, {@code fullAt} ticks and
 * {@code remainder} units. Elapsed time refills it implicitly. Immutable.
 *
 * <p>This is the reference model of the token bucket, as pure functions. Production doesn't use it:
 * stores represent the state differently, but must give the same results. Times are compared by
 * their difference, so a clock may start at any value and wrap around. A state with an impossible
 * debt, caused by a clock that stepped back or by a foreign write, is treated as the largest
 * possible debt; a request that is not a peek stores the clamped value.
 *
 * @param fullAt the last whole tick before the bucket is full
 * @param remainder the debt at that tick, in units of the rate, less than one tick
 */
public record Bucket(long fullAt, long remainder) {

  /** A bucket that is full at {@code now}. */
  public static Bucket full(long now) {
    return new Bucket(now, 0);
  }

  /** A bucket with a debt of {@code debt} units at {@code now}. */
  public static Bucket owing(FixedPointRate fixedRate, long now, long debt) {
    return new Bucket(now + debt / fixedRate.unitsPerTick(), debt % fixedRate.unitsPerTick());
  }

  /**
   * Returns the debt at {@code now}, in units of {@code fixedRate}, between 0 and the maximum.
   *
   * @param reach the longest delay in ticks that was ever granted for this bucket; debts beyond an
   *     empty bucket are accepted up to this delay
   */
  public long debt(FixedPointRate fixedRate, long now, long reach) {
    long maxDebt = fixedRate.ceiling(reach);
    return Math.min(maxDebt, unclampedDebt(fixedRate, now, maxDebt));
  }

  /**
   * Takes {@code cost} thousandths if they are available now or within {@code maxDelay} ticks. A
   * denial doesn't change the bucket.
   */
  public TakeResult take(FixedPointRate fixedRate, long now, long cost, long maxDelay, long reach) {
    long maxDebt = fixedRate.ceiling(reach);
    long unclampedDebt = unclampedDebt(fixedRate, now, maxDebt);
    long debt = Math.min(maxDebt, unclampedDebt);
    Bucket unchanged = unclampedDebt > maxDebt && cost > 0 ? owing(fixedRate, now, debt) : this;
    if (!fixedRate.isWithinBurst(cost)) {
      return new TakeResult(false, true, this, debt, 0, 0);
    }
    long nextDebt = debt + fixedRate.units(cost);
    long excess = nextDebt - fixedRate.ceiling(maxDelay);
    if (excess > 0) {
      return new TakeResult(false, false, unchanged, debt, fixedRate.ticks(excess), 0);
    }
    Bucket next = cost == 0 ? this : owing(fixedRate, now, nextDebt);
    return new TakeResult(
        true, false, next, nextDebt, 0, fixedRate.ticks(nextDebt - fixedRate.burst()));
  }

  /** Takes {@code cost} thousandths unconditionally, up to a debt of two bursts. */
  public Bucket charge(FixedPointRate fixedRate, long now, long cost, long reach) {
    return owing(
        fixedRate, now, fixedRate.charged(debt(fixedRate, now, reach), fixedRate.units(cost)));
  }

  /** Puts {@code cost} thousandths back, up to a full bucket. */
  public Bucket refund(FixedPointRate fixedRate, long now, long cost, long reach) {
    return owing(fixedRate, now, Math.max(0, debt(fixedRate, now, reach) - fixedRate.units(cost)));
  }

  /** Returns this bucket under a new limit: missing tokens stay missing, up to the new burst. */
  public Bucket under(FixedPointRate next, FixedPointRate fixedRate, long now, long reach) {
    return owing(
        next, now, Math.min(next.burst(), next.carry(fixedRate, debt(fixedRate, now, reach))));
  }

  /**
   * Returns the debt at {@code now} before clamping; some value above {@code maxDebt} if it is
   * larger.
   */
  private long unclampedDebt(FixedPointRate fixedRate, long now, long maxDebt) {
    long ticks = fullAt - now;
    if (ticks < 0) {
      return 0;
    }
    return ticks > maxDebt / fixedRate.unitsPerTick()
        ? Long.MAX_VALUE
        : ticks * fixedRate.unitsPerTick() + remainder;
  }

  /**
   * The result of a request, in ticks and units of the rate.
   *
   * @param allowed whether the request may pass, after {@code delay}
   * @param neverAllowed whether the cost exceeds the burst
   * @param next the bucket afterwards; the same object if nothing changed
   * @param debt the debt afterwards
   * @param retryAfter how long a denied caller has to wait
   * @param delay how long an allowed request has to be delayed
   */
  public record TakeResult(
      boolean allowed, boolean neverAllowed, Bucket next, long debt, long retryAfter, long delay) {}
}
