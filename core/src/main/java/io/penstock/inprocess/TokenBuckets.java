package io.penstock.inprocess;

import io.penstock.Buckets;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.StoreOptions;
import io.penstock.TokenBucket;
import io.penstock.algorithm.FixedPointRate;
import java.util.concurrent.CompletionStage;

/** Token buckets under one limit, on a clock whose tick is a nanosecond. Thread-safe. */
final class TokenBuckets extends InProcessBuckets {
  private static final long TICK_NANOS = 1;

  private final BucketTable table;
  private final long tableNumber;
  private final FixedPointRate fixedRate;

  TokenBuckets(InProcessStore store, String name, TokenBucket limit, NamedTables tables) {
    super(store, name, limit, tables);
    this.fixedRate = FixedPointRate.of(limit, TICK_NANOS);
    this.table = tables.buckets(fixedRate);
    this.tableNumber = tables.tableNumber();
    table.activeLimits().add(fixedRate);
  }

  @Override
  public Buckets replacedBy(Limit next) {
    Buckets replacement = store.buckets(name, next, StoreOptions.DEFAULT);
    retire();
    return replacement;
  }

  @Override
  void deactivate() {
    table.activeLimits().remove(fixedRate);
  }

  @Override
  public boolean tryTake(String key, long costThousandths) {
    return fixedRate.isWithinBurst(costThousandths)
        && table.tryTake(key, fixedRate, fixedRate.units(costThousandths));
  }

  @Override
  public Decision take(String key, long costThousandths, long maxDelayNanos) {
    if (!fixedRate.isWithinBurst(costThousandths)) {
      return denyCostAboveBurst(table.take(key, fixedRate, 0, fixedRate.burst()));
    }
    long units = fixedRate.units(costThousandths);
    long maxDebt = fixedRate.ceiling(maxDelayNanos);
    long outcome = table.take(key, fixedRate, units, maxDebt);
    return outcome >= 0 ? allowed(outcome) : denied(~outcome, ~outcome + units - maxDebt);
  }

  @Override
  public CompletionStage<Void> charge(String key, long costThousandths) {
    table.charge(key, fixedRate, costThousandths);
    return done();
  }

  @Override
  public CompletionStage<Void> refund(String key, long costThousandths) {
    table.refund(key, fixedRate, costThousandths);
    return done();
  }

  @Override
  public CompletionStage<Void> reset(String key) {
    table.reset(key, fixedRate);
    return done();
  }

  @Override
  long tableNumber() {
    return tableNumber;
  }

  @Override
  void identify(HeldBucket hold) {
    table.identify(hold);
  }

  @Override
  boolean hold(HeldBucket hold) {
    return table.hold(hold, fixedRate);
  }

  @Override
  void prepare(HeldBucket hold) {
    table.prepare(hold, fixedRate);
  }

  @Override
  boolean evaluate(HeldBucket hold) {
    return table.evaluate(hold, fixedRate, fixedRate.ceiling(hold.maxDelayNanos));
  }

  @Override
  void release(HeldBucket hold, boolean take) {
    table.release(hold, fixedRate, take);
  }

  @Override
  Decision decision(HeldBucket hold, boolean passes) {
    if (hold.allowed) {
      return allowed(passes ? hold.after : hold.before);
    }
    return fixedRate.isWithinBurst(hold.cost)
        ? denied(hold.before, hold.after - fixedRate.ceiling(hold.maxDelayNanos))
        : denyCostAboveBurst(hold.before);
  }

  private Decision allowed(long debt) {
    long delay = fixedRate.ticks(debt - fixedRate.burst());
    return Decision.allow(name, limit, fixedRate.remaining(debt), fixedRate.ticks(debt), delay);
  }

  private Decision denied(long debt, long excess) {
    return Decision.deny(
        name, limit, fixedRate.remaining(debt), fixedRate.ticks(debt), fixedRate.ticks(excess));
  }

  /**
   * Denies a request whose cost exceeds the burst.
   *
   * @param outcome the result of a peek, which is a denial if the bucket is overdrawn
   */
  private Decision denyCostAboveBurst(long outcome) {
    long debt = outcome >= 0 ? outcome : ~outcome;
    return Decision.denyCostAboveBurst(
        name, limit, fixedRate.remaining(debt), fixedRate.ticks(debt));
  }
}
