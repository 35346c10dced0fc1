package io.penstock.redis;

import io.penstock.Decision;
import io.penstock.TokenBucket;
import io.penstock.algorithm.Pace;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Token buckets under one limit, on ticks of a microsecond. Thread-safe. */
final class BucketTerms extends Terms {
  private static final int KIND = 0;

  /** The script counts no longer delays. */
  private static final long MAX_DELAY_TICKS = 1L << 50;

  private final String name;
  private final TokenBucket limit;
  private final Pace pace;
  private final List<Pace> replaced;

  /** The longest delay that was promised here, in ticks: debts are believed as far as that. */
  private final AtomicLong reach = new AtomicLong();

  /**
   * @param replaced limits that this one has taken the place of: what they left is cut to this
   *     one's burst
   */
  BucketTerms(String name, TokenBucket limit, List<Pace> replaced) {
    this.name = name;
    this.limit = limit;
    this.pace = paceOf(limit);
    this.replaced = replaced.stream().filter(old -> !old.equals(pace)).toList();
  }

  /** A limit on ticks of a microsecond, in numbers that the script can count with. */
  static Pace paceOf(TokenBucket limit) {
    return Pace.of(limit, Ticks.NANOS, Pace.MAX_UNITS_IN_DOUBLES);
  }

  Pace pace() {
    return pace;
  }

  List<Pace> replaced() {
    return replaced;
  }

  @Override
  int replyLength() {
    return 2;
  }

  @Override
  char family() {
    return 't';
  }

  @Override
  void write(Numbers numbers) {
    numbers.add(KIND);
    write(pace, numbers);
    numbers.add(reach.get()).add(replaced.size());
    replaced.forEach(old -> write(old, numbers));
  }

  private static void write(Pace pace, Numbers numbers) {
    numbers.add(pace.unitsPerTick()).add(pace.unitsPerThousandth()).add(pace.burstThousandths());
  }

  @Override
  long cost(long thousandths) {
    return pace.units(thousandths);
  }

  @Override
  long most(long thousandths, long maxDelayNanos) {
    long delay = Math.min(MAX_DELAY_TICKS, maxDelayNanos / Ticks.NANOS);
    return pace.holds(thousandths) ? pace.ceiling(delay) : -1;
  }

  @Override
  long delayTicks(long most) {
    return most < 0 ? -1 : (most - pace.burst()) / pace.unitsPerTick();
  }

  /** The debt that the script replied: whole ticks, and units beyond them. */
  long debt(long[] replies, int reply) {
    long rest = replies[reply + 1];
    long most = (Pace.MOST_DEBT - rest) / pace.unitsPerTick();
    return Math.min(most, replies[reply]) * pace.unitsPerTick() + rest;
  }

  /** What a caller was charged by a request that was granted. */
  Charge charge(Part claim, long[] replies, int reply, long caller) {
    long debt = debt(replies, reply) + (caller + 1) * claim.cost();
    long perTick = pace.unitsPerTick();
    return new Charge(claim, replies[replies.length - 1], debt / perTick, debt % perTick);
  }

  @Override
  Decision decision(Part claim, long[] replies, int reply, long granted, long caller) {
    long before = debt(replies, reply);
    if (caller < granted) {
      return allowed(before + (caller + 1) * claim.cost());
    }
    long debt = before + granted * claim.cost();
    if (claim.most() < 0) {
      return Decision.never(name, limit, pace.remaining(debt), nanos(debt));
    }
    long over = debt + claim.cost() - claim.most();
    return over <= 0
        ? allowed(debt)
        : Decision.denied(name, limit, pace.remaining(debt), nanos(debt), nanos(over));
  }

  @Override
  void noteDone(Ask.What what, Part claim, long[] replies, int reply, long granted) {
    long before = debt(replies, reply);
    long debt = 0;
    if (what == Ask.What.TAKE) {
      debt = before + granted * claim.cost();
    } else if (what == Ask.What.CHARGE) {
      debt = pace.charged(before, claim.cost());
    }
    if (debt > pace.burst() && granted > 0 && claim.cost() > 0) {
      reach.accumulateAndGet(pace.ticks(debt - pace.burst()), Math::max);
    }
  }

  @Override
  long extraWaitNanos(long more) {
    return nanos(more);
  }

  private Decision allowed(long debt) {
    long delay = nanos(debt - pace.burst());
    return Decision.allowed(name, limit, pace.remaining(debt), nanos(debt), delay);
  }

  private long nanos(long units) {
    return Ticks.toNanos(pace.ticks(units));
  }
}
