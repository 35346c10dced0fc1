package io.penstock;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Stores the buckets of limiters. Thread-safe. Users pass a store to {@link RateLimiter#on}; the
 * methods are called by limiters.
 */
public interface Store extends AutoCloseable {
  /**
   * Returns the buckets called {@code name}, one for each key, under {@code limit}. A second call
   * with another limit returns the same buckets under that limit as well. Both limits are active
   * then: what one grants is also missing under the other, so alternating between them gains
   * nothing. Token buckets and windows with the same name are separate.
   */
  Buckets buckets(String name, Limit limit, StoreOptions storeOptions);

  /**
   * Checks whether {@link #buckets} would accept a limit, so that a policy can be rejected when it
   * is loaded instead of at its first request.
   *
   * @throws IllegalArgumentException if it would not
   */
  default void check(String name, Limit limit, StoreOptions storeOptions) {}

  /** Takes everything that is claimed, or nothing. */
  Decision decide(List<Claim> claims);

  /**
   * Like {@link #decide}, but adds the result of each limit to {@code results} instead of combining
   * them.
   *
   * @return whether the request may pass
   */
  default boolean decide(List<Claim> claims, List<Decision> results) {
    Decision decision = decide(claims);
    results.addAll(decision.results());
    return decision.allowed();
  }

  /** Like {@link #decide}, for callers that only need to know whether the request is allowed. */
  default boolean tryAcquire(List<Claim> claims) {
    return decide(claims).allowed();
  }

  /** Like {@link #decide}, but doesn't block on the store. */
  CompletionStage<Decision> decideAsync(List<Claim> claims);

  /** Returns what {@link #decide} would return now, without taking anything. */
  CompletionStage<Decision> preview(List<Claim> claims);

  /** Whether one request can include buckets of this store and of {@code other}. */
  default boolean joins(Store other) {
    return this == other;
  }

  @Override
  void close();
}
