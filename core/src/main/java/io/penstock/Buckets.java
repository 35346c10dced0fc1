package io.penstock;

import java.util.concurrent.CompletionStage;

/**
 * The buckets of one name in a store, under one limit. Thread-safe. Limiters call these methods
 * with keys already checked and with costs in thousandths of a token.
 */
public interface Buckets {
  /** The store that these are in. */
  Store store();

  /** The clock by which callers wait. */
  NanoClock clock();

  /**
   * The same buckets under a limit that takes the place of this one: what is missing stays missing,
   * at most the new burst. These here are not used any more.
   */
  Buckets replacedBy(Limit limit);

  /**
   * Takes this limit out of force; what keys have consumed stays. These here are not used any more.
   */
  void retire();

  /** Whether this node has tokens of the key's bucket in advance, and decides from them. */
  default boolean isLeased(String key) {
    return false;
  }

  /** Takes {@code cost} if it is there. */
  boolean tryTake(String key, long cost);

  /** Takes {@code cost} if it is there or will be within {@code maxDelayNanos}; 0 only looks. */
  Decision take(String key, long cost, long maxDelayNanos);

  /** As {@link #take}, without waiting for the store. */
  CompletionStage<Decision> takeAsync(String key, long cost, long maxDelayNanos);

  /** Takes {@code cost} whether it is there or not, as far as one burst below empty. */
  CompletionStage<Void> charge(String key, long cost);

  /** Puts {@code cost} back, as far as full. */
  CompletionStage<Void> refund(String key, long cost);

  /** Makes the bucket full. */
  CompletionStage<Void> reset(String key);
}
