package io.penstock;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * One request over several limits. It takes from all of them or from none, and other requests never
 * observe a partial grant. On a Redis Cluster with keys in several slots, tokens that some slots
 * granted are given back after another has denied; until then, other requests can see them missing,
 * and window counts are not given back. Immutable and reusable.
 */
public final class JointRequest {
  private final Store store;
  private final List<Claim> claims;
  private final boolean observed;

  JointRequest(List<Claim> claims) {
    if (claims.isEmpty()) {
      throw new IllegalArgumentException("claims must not be empty: " + claims);
    }
    this.store = claims.get(0).buckets().store();
    this.claims = claims;
    boolean anyObserver = false;
    for (Claim claim : claims) {
      anyObserver |= claim.limiter().bound().observer() != null;
      if (!store.joins(claim.buckets().store())) {
        throw new IllegalArgumentException(
            "claims must be on one store: " + claims.size() + " claims on several stores");
      }
    }
    this.observed = anyObserver;
  }

  /**
   * Takes all claimed tokens, or none. In-process token buckets without observers allocate no
   * memory for it.
   */
  public boolean tryAcquire() {
    return observed ? take().allowed() : store.tryTake(claims);
  }

  /** Takes all claimed tokens, or none, and returns the details. */
  public Decision take() {
    Decision decision = store.take(claims);
    return observed ? report(decision) : decision;
  }

  /** Like {@link #take}, but doesn't block on the store. */
  public CompletionStage<Decision> takeAsync() {
    CompletionStage<Decision> taken = store.takeAsync(claims);
    return observed ? taken.thenApply(this::report) : taken;
  }

  /** Returns what {@link #take} would return now, without taking anything. */
  public Decision peek() {
    return RateLimiter.join(peekAsync());
  }

  /** Like {@link #peek}, but doesn't block on the store. */
  public CompletionStage<Decision> peekAsync() {
    return store.peekAsync(claims);
  }

  private Decision report(Decision decision) {
    List<Decision> results = decision.results();
    for (int i = 0; i < claims.size(); i++) {
      var unused = claims.get(i).limiter().bound().observed(results.get(i));
    }
    return decision;
  }
}
