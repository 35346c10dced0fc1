package io.penstock.redis;

import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.RateLimiter;
import io.penstock.Store;
import io.penstock.redis.PendingRequest.RequestKind;
import io.penstock.redis.RedisObserver.Degradation;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Decides by the failure policies of limiters while Redis can't. Thread-safe. */
final class Fallback {
  /** When to come back to a store that is away. */
  private static final long RETRY_NANOS = 1_000_000_000;

  private final Store local;
  private final RedisObserver observer;

  Fallback(Store local, RedisObserver observer) {
    this.local = local;
    this.observer = observer;
  }

  /**
   * Any that is closed, or denied by its local bucket, denies; then nothing is taken. What is no
   * request is not done here either.
   */
  Decision decide(RequestKind what, List<BucketRequest> parts, Degradation why) {
    if (what != RequestKind.TAKE && what != RequestKind.PREVIEW) {
      return byItself(parts.get(0));
    }
    parts.forEach(part -> observer.degraded(part.buckets().name(), why));
    boolean closed = parts.stream().anyMatch(Fallback::isClosed);
    Iterator<Decision> locals = closed ? List.<Decision>of().iterator() : locals(what, parts);
    Decision[] decisions = new Decision[parts.size()];
    for (int i = 0; i < decisions.length; i++) {
      BucketRequest part = parts.get(i);
      decisions[i] =
          part.buckets().local() != null && !closed ? locals.next().asDegraded() : byItself(part);
    }
    return decisions.length == 1 ? decisions[0] : Decision.all(decisions);
  }

  private static boolean isClosed(BucketRequest part) {
    return part.buckets().onFailure() == FailurePolicy.CLOSED;
  }

  private Iterator<Decision> locals(RequestKind what, List<BucketRequest> parts) {
    List<Claim> claims = new ArrayList<>();
    for (BucketRequest part : parts) {
      RateLimiter own = part.buckets().local();
      if (own != null) {
        claims.add(new Claim(own, part.key(), part.thousandths(), part.maxDelayNanos()));
      }
    }
    if (claims.isEmpty()) {
      return List.<Decision>of().iterator();
    }
    // In process, a preview is there at once.
    Decision decision =
        what == RequestKind.TAKE
            ? local.decide(claims)
            : local.preview(claims).toCompletableFuture().join();
    return decision.results().iterator();
  }

  private static Decision byItself(BucketRequest part) {
    RedisBuckets buckets = part.buckets();
    return isClosed(part)
        ? Decision.unavailable(buckets.name(), buckets.limit(), RETRY_NANOS)
        : Decision.allowed(
                buckets.name(), buckets.limit(), buckets.limit().burstThousandths(), 0, 0)
            .asDegraded();
  }
}
