package io.penstock;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * One request over several limits. It takes from all of them or from none, and other requests never
 * observe a partial grant. Immutable and reusable.
 */
public final class JointRequest {
  private final Store store;
  private final List<Claim> claims;

  JointRequest(List<Claim> claims) {
    if (claims.isEmpty()) {
      throw new IllegalArgumentException("claims must not be empty: " + claims);
    }
    this.store = claims.get(0).buckets().store();
    this.claims = claims;
    for (Claim claim : claims) {
      if (!store.joins(claim.buckets().store())) {
        throw new IllegalArgumentException(
            "claims must be on one store: " + claims.size() + " claims on several stores");
      }
    }
  }

  /**
   * Takes everything that is claimed, or nothing. In-process token buckets allocate no memory for
   * it.
   */
  public boolean tryAcquire() {
    return store.tryAcquire(claims);
  }

  /** Takes everything that is claimed, or nothing, and returns the details. */
  public Decision decide() {
    return store.decide(claims);
  }

  /** Returns what {@link #decide} would return now, without taking anything. */
  public CompletionStage<Decision> preview() {
    return store.preview(claims);
  }

  /** Like {@link #decide}, but doesn't block on the store. */
  public CompletionStage<Decision> decideAsync() {
    return store.decideAsync(claims);
  }
}
