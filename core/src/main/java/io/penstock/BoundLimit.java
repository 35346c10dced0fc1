package io.penstock;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The active limit of a limiter with its buckets, and the observer of its decisions. Immutable.
 * Keys are validated by the callers.
 */
record BoundLimit(String name, Limit limit, Buckets buckets, @Nullable LimiterObserver observer) {

  boolean tryTake(String key, long costThousandths) {
    boolean allowed = buckets.tryTake(key, costThousandths);
    if (observer != null) {
      observer.decided(name, allowed);
    }
    return allowed;
  }

  Decision take(String key, long costThousandths, long maxDelayNanos) {
    return observed(buckets.take(key, costThousandths, maxDelayNanos));
  }

  CompletionStage<Decision> takeAsync(String key, long costThousandths, long maxDelayNanos) {
    CompletionStage<Decision> taken = buckets.takeAsync(key, costThousandths, maxDelayNanos);
    return observer == null ? taken : taken.thenApply(this::observed);
  }

  Decision observed(Decision decision) {
    if (observer != null) {
      observer.decided(name, decision.allowed());
    }
    return decision;
  }
}
