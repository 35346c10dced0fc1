package io.penstock;

import java.util.concurrent.CompletionStage;

/**
 * The buckets with one name in a store, under one limit. Thread-safe. Limiters validate keys before
 * they call these methods.
 */
public interface Buckets {
  /** Returns the store that holds these buckets. */
  Store store();

  /** Returns the clock that callers wait by. */
  NanoClock clock();

  /**
   * Returns the same buckets under a new limit, which replaces this one. Consumed tokens stay
   * consumed, up to the new burst. This object must not be used afterwards.
   */
  Buckets replacedBy(Limit limit);

  /**
   * Deactivates this limit. Consumed tokens stay consumed. This object must not be used afterwards.
   */
  void retire();

  /** Whether this node holds a lease on the key's bucket and decides from the leased tokens. */
  default boolean isLeased(String key) {
    return false;
  }

  /** Takes {@code costThousandths} if that much is available. */
  boolean tryTake(String key, long costThousandths);

  /**
   * Takes {@code costThousandths} if it is available now or within {@code maxDelayNanos}. A cost of
   * 0 changes nothing.
   *
   * @throws UnsupportedOperationException if the limit is a window and {@code maxDelayNanos} is
   *     positive
   */
  Decision take(String key, long costThousandths, long maxDelayNanos);

  /** Like {@link #take}, but doesn't block on the store. */
  CompletionStage<Decision> takeAsync(String key, long costThousandths, long maxDelayNanos);

  /**
   * Takes {@code costThousandths} even if it is not available, down to one burst below empty.
   *
   * @throws UnsupportedOperationException if the limit is a window
   */
  CompletionStage<Void> charge(String key, long costThousandths);

  /**
   * Puts {@code costThousandths} back into the bucket, which never exceeds its burst.
   *
   * @throws UnsupportedOperationException if the limit is a window
   */
  CompletionStage<Void> refund(String key, long costThousandths);

  /** Refills the bucket. */
  CompletionStage<Void> reset(String key);
}
