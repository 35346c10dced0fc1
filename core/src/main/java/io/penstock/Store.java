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
   * then: tokens that one grants are also missing under the other, so a caller gains nothing by
   * alternating between them. Token buckets and windows with the same name are separate.
   */
  Buckets buckets(String name, Limit limit, StoreOptions storeOptions);

  /**
   * Checks whether {@link #buckets} would accept a limit, so that a policy can be rejected when it
   * is loaded instead of at its first request.
   *
   * @throws IllegalArgumentException if it would not
   */
  default void check(String name, Limit limit, StoreOptions storeOptions) {}

  /** Takes all claimed tokens, or none. */
  Decision take(List<Claim> claims);

  /**
   * Like {@link #take(List)}, but adds the result of each limit to {@code results} instead of
   * combining them.
   *
   * @return whether the request may pass
   */
  default boolean take(List<Claim> claims, List<Decision> results) {
    Decision decision = take(claims);
    results.addAll(decision.results());
    return decision.allowed();
  }

  /**
   * Like {@link #take(List)}, for callers that only need to know whether the request is allowed.
   */
  default boolean tryTake(List<Claim> claims) {
    return take(claims).allowed();
  }

  /** Like {@link #take(List)}, but doesn't block on the store. */
  CompletionStage<Decision> takeAsync(List<Claim> claims);

  /** Returns what {@link #take(List)} would return now, without taking anything. */
  CompletionStage<Decision> peekAsync(List<Claim> claims);

  /**
   * Whether {@link #take(List)} returns without waiting for another process. Callers that must not
   * block then call it directly instead of {@link #takeAsync}.
   */
  default boolean decidesImmediately() {
    return false;
  }

  /** Whether one request can include buckets of this store and of {@code other}. */
  default boolean joins(Store other) {
    return this == other;
  }

  /** The kind of store in logs and health details, such as {@code redis}. */
  default String kind() {
    return getClass().getSimpleName();
  }

  /**
   * Whether the store is available, as far as is known. While it is not, the failure policy of each
   * limiter decides.
   */
  default boolean isAvailable() {
    return true;
  }

  /** Why the store is unavailable, as a sentence; empty if it is available or that is unknown. */
  default String unavailableReason() {
    return "";
  }

  @Override
  void close();
}
