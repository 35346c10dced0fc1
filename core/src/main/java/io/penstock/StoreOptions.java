package io.penstock;

/**
 * How a limiter uses its store. Immutable.
 *
 * @param onFailure how requests are decided while the store is unavailable
 * @param consistency how a shared store is used
 */
public record StoreOptions(FailurePolicy onFailure, Consistency consistency) {
  /** Exact; while the store is unavailable, this node limits requests by itself. */
  public static final StoreOptions DEFAULT =
      new StoreOptions(FailurePolicy.LOCAL, Consistency.EXACT);
}
