package io.penstock.inprocess;

import io.penstock.Buckets;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.StoreOptions;
import io.penstock.WindowLimit;
import java.util.concurrent.CompletionStage;

/**
 * Windows under one limit. Thread-safe. Every request is handled as a joint request with one claim.
 */
final class WindowBuckets extends InProcessBuckets {
  private static final long TOKEN = 1_000;

  private final WindowTable table;
  private final long tableNumber;
  private final WindowLimit window;
  private final KeyWindows.WindowShape shape;

  WindowBuckets(InProcessStore store, String name, WindowLimit limit, NamedTables tables) {
    super(store, name, limit, tables);
    this.window = limit;
    this.shape = KeyWindows.WindowShape.of(limit);
    this.table = tables.windows();
    this.tableNumber = tables.tableNumber() + 1;
    table.activeLimits().add(shape);
  }

  @Override
  public Buckets replacedBy(Limit next) {
    Buckets replacement = store.buckets(name, next, StoreOptions.DEFAULT);
    retire();
    return replacement;
  }

  @Override
  void deactivate() {
    table.activeLimits().remove(shape);
  }

  @Override
  public boolean tryTake(String key, long costThousandths) {
    return store.tryTake(this, key, costThousandths);
  }

  @Override
  public Decision take(String key, long costThousandths, long maxDelayNanos) {
    return store.take(this, key, costThousandths, maxDelayNanos);
  }

  @Override
  public CompletionStage<Void> charge(String key, long costThousandths) {
    throw onlyTokenBuckets("charge");
  }

  @Override
  public CompletionStage<Void> refund(String key, long costThousandths) {
    throw onlyTokenBuckets("refund");
  }

  @Override
  public CompletionStage<Void> reset(String key) {
    HeldBucket hold = new HeldBucket(this, key);
    table.identify(hold);
    table.forget(hold);
    return done();
  }

  @Override
  long tableNumber() {
    return tableNumber;
  }

  @Override
  void identify(HeldBucket hold) {
    if (hold.maxDelayNanos > 0) {
      throw onlyTokenBuckets("waiting");
    }
    if (window.kind() == WindowLimit.Counting.SLIDING_WINDOW_LOG && hold.cost % TOKEN != 0) {
      throw new IllegalArgumentException(
          "cost must be a whole number on a sliding log: " + hold.cost / (double) TOKEN);
    }
    table.identify(hold);
  }

  @Override
  boolean hold(HeldBucket hold) {
    return table.hold(hold);
  }

  @Override
  void prepare(HeldBucket hold) {
    table.prepare(hold, window);
  }

  @Override
  void giveBackRoom(HeldBucket hold) {
    table.giveBackRoom(hold);
  }

  @Override
  boolean evaluate(HeldBucket hold) {
    return table.evaluate(hold, window);
  }

  @Override
  void release(HeldBucket hold, boolean take) {
    table.release(hold, window, take);
  }

  @Override
  Decision decision(HeldBucket hold, boolean passes) {
    boolean previewed = passes && !hold.taken && hold.cost > 0;
    long used = previewed ? hold.before + hold.cost : hold.before;
    long remaining = Math.max(0, limit.burstThousandths() - used);
    long reset = previewed ? hold.lifetime : hold.unchanged;
    if (hold.allowed) {
      return Decision.allow(name, limit, remaining, reset, 0);
    }
    return hold.cost > limit.burstThousandths()
        ? Decision.denyCostAboveBurst(name, limit, remaining, reset)
        : Decision.deny(name, limit, remaining, reset, hold.after);
  }

  private UnsupportedOperationException onlyTokenBuckets(String operation) {
    return new UnsupportedOperationException(
        operation + " needs a token bucket: limiter " + name + " is a " + window.kind());
  }
}
