package io.penstock.inprocess;

import io.penstock.Buckets;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.NanoClock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * In-process buckets under one limit. Thread-safe.
 *
 * <p>They also take part in joint requests, in steps that a {@link Transaction} calls: identify,
 * hold, evaluate, release. The last three are called under the {@link KeyLock} of the key and never
 * block. Between hold and release, no other thread observes or changes the bucket.
 */
abstract sealed class InProcessBuckets implements Buckets permits TokenBuckets, WindowBuckets {
  private static final CompletionStage<Void> DONE = CompletableFuture.completedStage(null);

  final InProcessStore store;
  final String name;
  final Limit limit;

  private final NamedTables tables;
  private final AtomicBoolean retired = new AtomicBoolean();

  InProcessBuckets(InProcessStore store, String name, Limit limit, NamedTables tables) {
    this.store = store;
    this.tables = tables;
    this.name = name;
    this.limit = limit;
  }

  @Override
  public final void retire() {
    if (retired.compareAndSet(false, true)) {
      deactivate();
      store.retired(tables);
    }
  }

  /** Deactivates the limit. */
  abstract void deactivate();

  /** The number of the table, unique among all tables of all stores. */
  abstract long tableNumber();

  /** Computes the hash that identifies the bucket of {@code hold} in its table. */
  abstract void identify(HeldBucket hold);

  /** Holds the bucket; false if {@link #prepare} has to be called first, without any lock. */
  abstract boolean hold(HeldBucket hold);

  /** Makes sure that the bucket can be held and evaluated. */
  abstract void prepare(HeldBucket hold);

  /**
   * Frees the capacity that {@link #prepare} reserved and the request did not use. Called without
   * any lock.
   */
  void giveBackRoom(HeldBucket hold) {}

  /** Evaluates whether the request is allowed; false if {@link #prepare} has to be called first. */
  abstract boolean evaluate(HeldBucket hold);

  /** Releases the bucket, after taking the claimed cost if {@code take} is set. */
  abstract void release(HeldBucket hold, boolean take);

  /** The result for this bucket; {@code passes} is the result of the whole request. */
  abstract Decision decision(HeldBucket hold, boolean passes);

  @Override
  public final InProcessStore store() {
    return store;
  }

  @Override
  public final NanoClock clock() {
    return store.clock();
  }

  @Override
  public final CompletionStage<Decision> takeAsync(
      String key, long costThousandths, long maxDelayNanos) {
    return CompletableFuture.completedFuture(take(key, costThousandths, maxDelayNanos));
  }

  static CompletionStage<Void> done() {
    return DONE;
  }
}
