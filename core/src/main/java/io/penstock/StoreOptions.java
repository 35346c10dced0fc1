package io.penstock;

/**
 * How a limiter deals with its store. Immutable.
 *
 * @param onFailure what becomes of requests while the store can't be asked
 * @param consistency how a shared store is asked
 */
public record StoreOptions(FailurePolicy onFailure, Consistency consistency) {
  /** Exact, and open when the store is away: a dead store never blocks traffic. */
  public static final StoreOptions DEFAULT =
      new StoreOptions(FailurePolicy.OPEN, Consistency.EXACT);
}
