package io.penstock;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A caller who waits for tokens without holding a thread. Thread-safe. */
final class PendingAcquire {
  private final RateLimiter limiter;
  private final String key;
  private final long cost;
  private final CompletableFuture<Decision> served = new CompletableFuture<>();

  PendingAcquire(RateLimiter limiter, String key, long cost) {
    this.limiter = limiter;
    this.key = key;
    this.cost = cost;
  }

  CompletableFuture<Decision> until(CompletionStage<Decision> taken) {
    taken.whenComplete(
        (decision, failure) -> {
          if (failure != null) {
            served.completeExceptionally(failure);
          } else {
            hold(decision);
          }
        });
    return served;
  }

  private void hold(Decision decision) {
    if (!decision.allowed()) {
      served.complete(decision);
      return;
    }
    var unused = served.whenComplete((same, cancelled) -> giveBackIf(cancelled != null, decision));
    if (decision.delayNanos() == 0) {
      served.complete(decision);
    } else {
      limiter.buckets().clock().schedule(decision.delayNanos(), () -> served.complete(decision));
    }
  }

  private void giveBackIf(boolean cancelled, Decision taken) {
    if (cancelled) {
      var unused = limiter.giveBack(taken, key, cost);
    }
  }
}
