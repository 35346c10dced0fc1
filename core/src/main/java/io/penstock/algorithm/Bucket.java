package io.penstock.algorithm;

/**
 * A token bucket as a value: the instant at which it will be full again, {@code fullAt} ticks and
 * {@code remainder} units. Elapsed time refills it by itself. Immutable.
 *
 * <p>This is the reference: stores may keep the state in another form, but give the answers that
 * these functions give. Instants are compared by their difference, so a clock may start anywhere
 * and wrap around. A state that can't be, because the clock stepped back or somebody else wrote it,
 * is taken for the emptiest bucket that can be, and a request (not a peek) writes that down.
 *
 * @param fullAt the last whole tick before the bucket is full
 * @param remainder what is missing to full at that tick, in units of the pace, less than a tick
 */
public record Bucket(long fullAt, long remainder) {

  /** A bucket that is full at {@code now}. */
  public static Bucket full(long now) {
    return new Bucket(now, 0);
  }

  /** A bucket that is {@code debt} units short of full at {@code now}. */
  public static Bucket owing(FixedPointRate fixedRate, long now, long debt) {
    return new Bucket(now + debt / fixedRate.unitsPerTick(), debt % fixedRate.unitsPerTick());
  }

  /**
   * What is missing at {@code now}, in units of {@code fixedRate}, from nothing to the most that
   * can be.
   *
   * @param reach the longest delay in ticks that was ever promised for this bucket: debts beyond an
   *     empty bucket are believed as far as that
   */
  public long debt(FixedPointRate fixedRate, long now, long reach) {
    long most = fixedRate.ceiling(reach);
    return Math.min(most, stated(fixedRate, now, most));
  }

  /**
   * Takes {@code cost} thousandths if they are there, or will be within {@code maxDelay} ticks. A
   * denial leaves the bucket as it is.
   */
  public Verdict take(FixedPointRate fixedRate, long now, long cost, long maxDelay, long reach) {
    long most = fixedRate.ceiling(reach);
    long stated = stated(fixedRate, now, most);
    long debt = Math.min(most, stated);
    Bucket unchanged = stated > most && cost > 0 ? owing(fixedRate, now, debt) : this;
    if (!fixedRate.holds(cost)) {
      return new Verdict(false, true, this, debt, 0, 0);
    }
    long wanted = debt + fixedRate.units(cost);
    long over = wanted - fixedRate.ceiling(maxDelay);
    if (over > 0) {
      return new Verdict(false, false, unchanged, debt, fixedRate.ticks(over), 0);
    }
    Bucket next = cost == 0 ? this : owing(fixedRate, now, wanted);
    return new Verdict(true, false, next, wanted, 0, fixedRate.ticks(wanted - fixedRate.burst()));
  }

  /** Takes {@code cost} thousandths whether they are there or not, to at most one burst of debt. */
  public Bucket charge(FixedPointRate fixedRate, long now, long cost, long reach) {
    return owing(
        fixedRate, now, fixedRate.charged(debt(fixedRate, now, reach), fixedRate.units(cost)));
  }

  /** Puts {@code cost} thousandths back, to at most a full bucket. */
  public Bucket refund(FixedPointRate fixedRate, long now, long cost, long reach) {
    return owing(fixedRate, now, Math.max(0, debt(fixedRate, now, reach) - fixedRate.units(cost)));
  }

  /** This bucket under a new limit: what was missing is missing still, at most the new burst. */
  public Bucket under(FixedPointRate next, FixedPointRate fixedRate, long now, long reach) {
    return owing(
        next, now, Math.min(next.burst(), next.carry(fixedRate, debt(fixedRate, now, reach))));
  }

  /** What this state says is missing at {@code now}; something above {@code most} if more. */
  private long stated(FixedPointRate fixedRate, long now, long most) {
    long ticks = fullAt - now;
    if (ticks < 0) {
      return 0;
    }
    return ticks > most / fixedRate.unitsPerTick()
        ? Long.MAX_VALUE
        : ticks * fixedRate.unitsPerTick() + remainder;
  }

  /**
   * What came of a request, in ticks and units of the pace.
   *
   * @param allowed whether it may pass, after {@code delay}
   * @param never whether it costs more than the bucket holds
   * @param next the bucket afterwards; the same object when nothing changed
   * @param debt what is missing afterwards
   * @param retryAfter how long a denied caller has to wait
   * @param delay how long an allowed caller has to be held back
   */
  public record Verdict(
      boolean allowed, boolean never, Bucket next, long debt, long retryAfter, long delay) {}
}
