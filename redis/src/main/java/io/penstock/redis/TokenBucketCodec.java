package io.penstock.redis;

import io.penstock.Decision;
import io.penstock.TokenBucket;
import io.penstock.algorithm.FixedPointRate;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** The codec of a token bucket limit, with ticks of one microsecond. Thread-safe. */
final class TokenBucketCodec extends LimitCodec {
  private static final int KIND = 0;

  /** Maximum delay that the script supports. */
  private static final long MAX_DELAY_TICKS = 1L << 50;

  private final String name;
  private final TokenBucket limit;
  private final FixedPointRate fixedRate;
  private final List<FixedPointRate> replaced;

  /**
   * The longest delay granted here, in ticks. Debts beyond an empty bucket are valid up to this
   * delay.
   */
  private final AtomicLong reach = new AtomicLong();

  /**
   * @param replaced limits that this one has replaced; debts under them are reduced to the burst of
   *     this one
   */
  TokenBucketCodec(String name, TokenBucket limit, List<FixedPointRate> replaced) {
    this.name = name;
    this.limit = limit;
    this.fixedRate = rateOf(limit);
    this.replaced = replaced.stream().filter(old -> !old.equals(fixedRate)).toList();
  }

  /**
   * Converts a limit to ticks of one microsecond, in numbers that the script can represent exactly.
   */
  static FixedPointRate rateOf(TokenBucket limit) {
    return FixedPointRate.of(limit, Ticks.NANOS, FixedPointRate.MAX_UNITS_IN_DOUBLES);
  }

  FixedPointRate fixedRate() {
    return fixedRate;
  }

  List<FixedPointRate> replaced() {
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
  void write(MessagePackArray numbers) {
    numbers.add(KIND);
    write(fixedRate, numbers);
    numbers.add(reach.get()).add(replaced.size());
    replaced.forEach(old -> write(old, numbers));
  }

  private static void write(FixedPointRate fixedRate, MessagePackArray numbers) {
    numbers
        .add(fixedRate.unitsPerTick())
        .add(fixedRate.unitsPerThousandth())
        .add(fixedRate.burstThousandths());
  }

  @Override
  long cost(long thousandths) {
    return fixedRate.units(thousandths);
  }

  @Override
  long maxDebt(long thousandths, long maxDelayNanos) {
    long delay = Math.min(MAX_DELAY_TICKS, maxDelayNanos / Ticks.NANOS);
    return fixedRate.isWithinBurst(thousandths) ? fixedRate.ceiling(delay) : -1;
  }

  @Override
  long delayTicks(long maxDebt) {
    return maxDebt < 0 ? -1 : (maxDebt - fixedRate.burst()) / fixedRate.unitsPerTick();
  }

  /** Decodes a debt from the reply: whole ticks, and a rest in units. */
  long debt(long[] replies, int reply) {
    long rest = replies[reply + 1];
    long maxTicks = (FixedPointRate.MAX_DEBT - rest) / fixedRate.unitsPerTick();
    return Math.min(maxTicks, replies[reply]) * fixedRate.unitsPerTick() + rest;
  }

  /** Returns the receipt of a caller whose request was granted. */
  Receipt receipt(RedisClaim claim, long[] replies, int reply, long caller) {
    long debt = debt(replies, reply) + (caller + 1) * claim.cost();
    long perTick = fixedRate.unitsPerTick();
    return new Receipt(claim, replies[replies.length - 1], debt / perTick, debt % perTick);
  }

  @Override
  Decision decision(RedisClaim claim, long[] replies, int reply, long granted, long caller) {
    long before = debt(replies, reply);
    if (caller < granted) {
      return allowed(before + (caller + 1) * claim.cost());
    }
    long debt = before + granted * claim.cost();
    if (claim.maxDebt() < 0) {
      return Decision.denyCostAboveBurst(name, limit, fixedRate.remaining(debt), nanos(debt));
    }
    long excess = debt + claim.cost() - claim.maxDebt();
    return excess <= 0
        ? allowed(debt)
        : Decision.deny(name, limit, fixedRate.remaining(debt), nanos(debt), nanos(excess));
  }

  @Override
  void recordEffect(
      Operation operation, RedisClaim claim, long[] replies, int reply, long granted) {
    boolean adds = operation == Operation.TAKE || operation == Operation.CHARGE;
    long debt = debtAfter(operation, claim, replies, reply, granted);
    if (adds && debt > fixedRate.burst() && granted > 0 && claim.cost() > 0) {
      reach.accumulateAndGet(fixedRate.ticks(debt - fixedRate.burst()), Math::max);
    }
  }

  /** The debt after a request; after a {@link Operation#GIVE_BACK}, a lower bound of it. */
  private long debtAfter(
      Operation operation, RedisClaim claim, long[] replies, int reply, long granted) {
    long before = debt(replies, reply);
    return switch (operation) {
      case TAKE -> before + granted * claim.cost();
      case CHARGE -> fixedRate.charged(before, claim.cost());
      case REFUND, GIVE_BACK -> Math.max(0, before - claim.cost());
      case RAISE_DEBT -> Math.max(before, claim.cost());
      case RESET -> 0;
      case PEEK, LEASE -> before;
    };
  }

  @Override
  void updateCopy(
      LocalBuckets local,
      Operation operation,
      RedisClaim claim,
      long[] replies,
      int reply,
      long granted,
      long passedNanos) {
    local.setToRedisLevel(
        claim, missing(debtAfter(operation, claim, replies, reply, granted), passedNanos));
  }

  /**
   * A lower bound on the tokens that are missing now, in thousandths and at most the burst, given
   * the debt in the reply to a call that was sent {@code passedNanos} ago.
   */
  long missing(long debt, long passedNanos) {
    long refilled =
        Math.min(FixedPointRate.MAX_DEBT / fixedRate.unitsPerTick(), 1 + passedNanos / Ticks.NANOS);
    long left = Math.max(0, debt - refilled * fixedRate.unitsPerTick());
    return Math.min(fixedRate.burstThousandths(), left / fixedRate.unitsPerThousandth());
  }

  @Override
  long remainingAt(long remaining, long resetNanos) {
    long ticks =
        Math.min(FixedPointRate.MAX_DEBT / fixedRate.unitsPerTick(), resetNanos / Ticks.NANOS);
    return Math.max(remaining, fixedRate.remaining(ticks * fixedRate.unitsPerTick()));
  }

  @Override
  long extraWaitNanos(long more) {
    return nanos(more);
  }

  private Decision allowed(long debt) {
    long delay = nanos(debt - fixedRate.burst());
    return Decision.allow(name, limit, fixedRate.remaining(debt), nanos(debt), delay);
  }

  private long nanos(long units) {
    return Ticks.toNanos(fixedRate.ticks(units));
  }
}
