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
  public static Bucket owing(Pace pace, long now, long debt) {
    return new Bucket(now + debt / pace.unitsPerTick(), debt % pace.unitsPerTick());
  }

  /**
   * What is missing at {@code now}, in units of {@code pace}, from nothing to the most that can be.
   *
   * @param reach the longest delay in ticks that was ever promised for this bucket: debts beyond an
   *     empty bucket are believed as far as that
   */
  public long debt(Pace pace, long now, long reach) {
    long most = pace.ceiling(reach);
    return Math.min(most, stated(pace, now, most));
  }

  /**
   * Takes {@code cost} thousandths if they are there, or will be within {@code maxDelay} ticks. A
   * denial leaves the bucket as it is.
   */
  public Verdict take(Pace pace, long now, long cost, long maxDelay, long reach) {
    long most = pace.ceiling(reach);
    long stated = stated(pace, now, most);
    long debt = Math.min(most, stated);
    Bucket unchanged = stated > most && cost > 0 ? owing(pace, now, debt) : this;
    if (!pace.holds(cost)) {
      return new Verdict(false, true, this, debt, 0, 0);
    }
    long wanted = debt + pace.units(cost);
    long over = wanted - pace.ceiling(maxDelay);
    if (over > 0) {
      return new Verdict(false, false, unchanged, debt, pace.ticks(over), 0);
    }
    Bucket next = cost == 0 ? this : owing(pace, now, wanted);
    return new Verdict(true, false, next, wanted, 0, pace.ticks(wanted - pace.burst()));
  }

  /** Takes {@code cost} thousandths whether they are there or not, to at most one burst of debt. */
  public Bucket charge(Pace pace, long now, long cost, long reach) {
    return owing(pace, now, pace.charged(debt(pace, now, reach), pace.units(cost)));
  }

  /** Puts {@code cost} thousandths back, to at most a full bucket. */
  public Bucket refund(Pace pace, long now, long cost, long reach) {
    return owing(pace, now, Math.max(0, debt(pace, now, reach) - pace.units(cost)));
  }

  /** This bucket under a new limit: what was missing is missing still, at most the new burst. */
  public Bucket under(Pace next, Pace pace, long now, long reach) {
    return owing(next, now, Math.min(next.burst(), next.carry(pace, debt(pace, now, reach))));
  }

  /** What this state says is missing at {@code now}; something above {@code most} if more. */
  private long stated(Pace pace, long now, long most) {
    long ticks = fullAt - now;
    if (ticks < 0) {
      return 0;
    }
    return ticks > most / pace.unitsPerTick()
        ? Long.MAX_VALUE
        : ticks * pace.unitsPerTick() + remainder;
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
