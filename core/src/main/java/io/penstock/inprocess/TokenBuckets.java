package io.penstock.inprocess;

import io.penstock.Buckets;
import io.penstock.Decision;
import io.penstock.Handling;
import io.penstock.Limit;
import io.penstock.TokenBucket;
import io.penstock.algorithm.Pace;
import java.util.concurrent.CompletionStage;

/** Token buckets under one limit, on a clock whose tick is a nanosecond. Thread-safe. */
final class TokenBuckets extends InProcessBuckets {
  private static final long TICK_NANOS = 1;

  private final BucketTable table;
  private final long order;
  private final Pace pace;

  TokenBuckets(InProcessStore store, String name, TokenBucket limit, Tables tables) {
    super(store, name, limit, tables);
    this.pace = Pace.of(limit, TICK_NANOS);
    this.table = tables.buckets(pace);
    this.order = tables.order();
    table.inForce().add(pace);
  }

  @Override
  public Buckets replacedBy(Limit next) {
    Buckets replacement = store.buckets(name, next, Handling.DEFAULT);
    retire();
    return replacement;
  }

  @Override
  void leave() {
    table.inForce().remove(pace);
  }

  @Override
  public boolean tryTake(String key, long cost) {
    return pace.holds(cost) && table.take(key, pace, pace.units(cost), pace.burst()) >= 0;
  }

  @Override
  public Decision take(String key, long cost, long maxDelayNanos) {
    if (!pace.holds(cost)) {
      return never(table.take(key, pace, 0, pace.burst()));
    }
    long units = pace.units(cost);
    long most = pace.ceiling(maxDelayNanos);
    long outcome = table.take(key, pace, units, most);
    return outcome >= 0 ? allowed(outcome) : denied(~outcome, ~outcome + units - most);
  }

  @Override
  public CompletionStage<Void> charge(String key, long cost) {
    table.charge(key, pace, cost);
    return done();
  }

  @Override
  public CompletionStage<Void> refund(String key, long cost) {
    table.refund(key, pace, cost);
    return done();
  }

  @Override
  public CompletionStage<Void> reset(String key) {
    table.reset(key, pace);
    return done();
  }

  @Override
  long order() {
    return order;
  }

  @Override
  void identify(Hold hold) {
    table.identify(hold);
  }

  @Override
  boolean hold(Hold hold) {
    return table.hold(hold, pace);
  }

  @Override
  void prepare(Hold hold) {
    table.prepare(hold, pace);
  }

  @Override
  boolean judge(Hold hold) {
    return table.judge(hold, pace, pace.ceiling(hold.maxDelayNanos));
  }

  @Override
  void release(Hold hold, boolean take) {
    table.release(hold, pace, take);
  }

  @Override
  Decision decision(Hold hold, boolean passes) {
    if (hold.allowed) {
      return allowed(passes ? hold.after : hold.before);
    }
    return pace.holds(hold.cost)
        ? denied(hold.before, hold.after - pace.ceiling(hold.maxDelayNanos))
        : never(hold.before);
  }

  private Decision allowed(long debt) {
    long delay = pace.ticks(debt - pace.burst());
    return Decision.allowed(name, limit, pace.remaining(debt), pace.ticks(debt), delay);
  }

  private Decision denied(long debt, long over) {
    return Decision.denied(name, limit, pace.remaining(debt), pace.ticks(debt), pace.ticks(over));
  }

  /** A peek at a bucket in debt is a denial to the table; the debt is the same. */
  private Decision never(long outcome) {
    long debt = outcome >= 0 ? outcome : ~outcome;
    return Decision.never(name, limit, pace.remaining(debt), pace.ticks(debt));
  }
}
