package io.penstock;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A caller that waits for tokens without blocking a thread. Thread-safe. */
final class PendingAcquire {
  private final RateLimiter limiter;
  private final String key;
  private final long costThousandths;
  private final CompletableFuture<Decision> result = new CompletableFuture<>();

  PendingAcquire(RateLimiter limiter, String key, long costThousandths) {
    this.limiter = limiter;
    this.key = key;
    this.costThousandths = costThousandths;
  }

  CompletableFuture<Decision> until(CompletionStage<Decision> taken) {
    taken.whenComplete(
        (decision, failure) -> {
          if (failure != null) {
            result.completeExceptionally(failure);
          } else {
            complete(decision);
          }
        });
    return result;
  }

  private void complete(Decision decision) {
    if (!decision.allowed()) {
      result.complete(decision);
      return;
    }
    var unused = result.whenComplete((same, cancelled) -> refundIf(cancelled != null, decision));
    if (decision.delayNanos() == 0) {
      result.complete(decision);
    } else {
      limiter.buckets().clock().schedule(decision.delayNanos(), () -> result.complete(decision));
    }
  }

  private void refundIf(boolean cancelled, Decision taken) {
    if (cancelled) {
      var unused = limiter.giveBack(taken, key, costThousandths);
    }
  }
}
