package io.penstock;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * One request against several limits: either all of them are charged or none is, and nobody ever
 * sees anything in between. Immutable and reusable.
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
            "claims must be on one store: " + claims.size() + " on several");
      }
    }
  }

  /**
   * Takes everything claimed if all of it is there. Token buckets in process allocate nothing for
   * it.
   */
  public boolean tryAcquire() {
    return store.tryAcquire(claims);
  }

  /** Takes everything claimed if all of it is there, and says how things stand. */
  public Decision decide() {
    return store.decide(claims);
  }

  /** What {@link #decide} would answer now. Nothing is taken. */
  public CompletionStage<Decision> preview() {
    return store.preview(claims);
  }

  /** As {@link #decide}, without waiting for the store. */
  public CompletionStage<Decision> decideAsync() {
    return store.decideAsync(claims);
  }
}
