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

/** Applies the failure policies of limiters while Redis is unavailable. Thread-safe. */
final class Fallback {
  /** The retry hint of denials while Redis is unavailable. */
  private static final long RETRY_NANOS = 1_000_000_000;

  private final Store local;
  private final RedisObserver observer;

  Fallback(Store local, RedisObserver observer) {
    this.local = local;
    this.observer = observer;
  }

  /**
   * Decides a request by the failure policies of its limiters. If any of them fails closed or its
   * local bucket denies, the request is denied and nothing is taken. Operations other than requests
   * are not executed.
   */
  Decision decide(RequestKind kind, List<BucketRequest> parts, Degradation why) {
    if (kind != RequestKind.TAKE && kind != RequestKind.PREVIEW) {
      return withoutBucket(parts.get(0));
    }
    parts.forEach(part -> observer.degraded(part.buckets().name(), why));
    boolean closed = parts.stream().anyMatch(Fallback::isClosed);
    Iterator<Decision> localDecisions =
        closed ? List.<Decision>of().iterator() : localDecisions(kind, parts);
    Decision[] decisions = new Decision[parts.size()];
    for (int i = 0; i < decisions.length; i++) {
      BucketRequest part = parts.get(i);
      decisions[i] =
          part.buckets().local() != null && !closed
              ? localDecisions.next().asDegraded()
              : withoutBucket(part);
    }
    return decisions.length == 1 ? decisions[0] : Decision.all(decisions);
  }

  private static boolean isClosed(BucketRequest part) {
    return part.buckets().onFailure() == FailurePolicy.CLOSED;
  }

  private Iterator<Decision> localDecisions(RequestKind kind, List<BucketRequest> parts) {
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
    // An in-process preview is complete immediately.
    Decision decision =
        kind == RequestKind.TAKE
            ? local.decide(claims)
            : local.preview(claims).toCompletableFuture().join();
    return decision.results().iterator();
  }

  private static Decision withoutBucket(BucketRequest part) {
    RedisBuckets buckets = part.buckets();
    return isClosed(part)
        ? Decision.unavailable(buckets.name(), buckets.limit(), RETRY_NANOS)
        : Decision.allowed(
                buckets.name(), buckets.limit(), buckets.limit().burstThousandths(), 0, 0)
            .asDegraded();
  }
}
