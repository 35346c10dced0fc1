package io.penstock.inprocess;

import io.penstock.Buckets;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.NanoClock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Buckets in this process under one limit. Thread-safe.
 *
 * <p>Besides their own requests they take part in joint ones, in steps that a {@link Transaction}
 * calls: identify, hold, judge, release. The last three are called under the {@link KeyLock} of the
 * key and never wait; between hold and release nobody else sees or changes the bucket.
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
      leave();
      store.retired(tables);
    }
  }

  /** Takes the limit out of force. */
  abstract void leave();

  /** The number of its table among all tables of all stores. */
  abstract long order();

  /** Notes what tells the bucket of {@code hold} from the others of its table. */
  abstract void identify(HeldBucket hold);

  /** Holds the bucket; false if {@link #prepare} has to be called first, without any lock. */
  abstract boolean hold(HeldBucket hold);

  /** Sees to it that the bucket can be held and judged. */
  abstract void prepare(HeldBucket hold);

  /** Gives back what {@link #prepare} reserved and was not used. Called without any lock. */
  void giveBackRoom(HeldBucket hold) {}

  /** Finds out whether the request passes; false if {@link #prepare} has to be called first. */
  abstract boolean judge(HeldBucket hold);

  /** Lets the bucket go, with what was claimed taken from it if {@code take}. */
  abstract void release(HeldBucket hold, boolean take);

  /** The answer for this bucket; {@code passes} tells whether the whole request does. */
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
  public final CompletionStage<Decision> takeAsync(String key, long cost, long maxDelayNanos) {
    return CompletableFuture.completedFuture(take(key, cost, maxDelayNanos));
  }

  static CompletionStage<Void> done() {
    return DONE;
  }
}
