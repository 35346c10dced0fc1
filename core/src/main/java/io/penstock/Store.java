package io.penstock;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Where buckets are kept. Thread-safe. Users choose one and hand it to {@link RateLimiter#on};
 * everything else here is between limiters and stores.
 */
public interface Store extends AutoCloseable {
  /**
   * The buckets called {@code name}, one for each key, under {@code limit}. Asking again with
   * another limit gives the same buckets under that one as well: both are in force, what one takes
   * is missing for the other, and nothing is gained by going from one to the other. Token buckets
   * and windows of one name are kept apart.
   */
  Buckets buckets(String name, Limit limit, StoreOptions storeOptions);

  /**
   * Finds out whether {@link #buckets} would take a limit, so that a policy can be rejected when it
   * is loaded and not when the first request comes.
   *
   * @throws IllegalArgumentException if it would not
   */
  default void check(String name, Limit limit, StoreOptions storeOptions) {}

  /** Takes all that is claimed, or nothing. */
  Decision decide(List<Claim> claims);

  /**
   * As {@link #decide}, with the answer of each limit added to {@code results} instead of an answer
   * for all.
   *
   * @return whether the request may pass
   */
  default boolean decide(List<Claim> claims, List<Decision> results) {
    Decision decision = decide(claims);
    results.addAll(decision.results());
    return decision.allowed();
  }

  /** As {@link #decide}, for those who only need to know whether. */
  default boolean tryAcquire(List<Claim> claims) {
    return decide(claims).allowed();
  }

  /** As {@link #decide}, without waiting for the store. */
  CompletionStage<Decision> decideAsync(List<Claim> claims);

  /** What {@link #decide} would answer now. Nothing is taken. */
  CompletionStage<Decision> preview(List<Claim> claims);

  /** Whether one request can be decided over this store's buckets and the other's together. */
  default boolean joins(Store other) {
    return this == other;
  }

  @Override
  void close();
}
