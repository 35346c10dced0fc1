package io.penstock.redis;

import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.redis.RedisObserver.Degradation;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides requests while Redis is unavailable: by the failure policies of their limiters, and from
 * the in-process buckets of those that fall back to them. Thread-safe.
 */
final class Fallback {
  /** The retry hint of denials while Redis is unavailable. */
  private static final long RETRY_NANOS = 1_000_000_000;

  private final LocalBuckets local;
  private final RedisObserver observer;

  Fallback(LocalBuckets local, RedisObserver observer) {
    this.local = local;
    this.observer = observer;
  }

  /**
   * Decides a request in flight from the in-process buckets, in case its reply is late.
   *
   * @return null if they don't decide it
   */
  @Nullable Decision decideAhead(List<RedisClaim> claims) {
    List<RedisClaim> localClaims = localClaims(claims);
    boolean undoable = localClaims.stream().allMatch(LocalBuckets::canUndo);
    return localClaims.isEmpty() || !undoable || claims.stream().anyMatch(Fallback::isClosed)
        ? null
        : local.decide(Operation.TAKE, localClaims);
  }

  /** Undoes the effect of {@link #decideAhead}. */
  void undo(List<RedisClaim> claims, Decision ahead) {
    if (ahead.allowed()) {
      local.undo(localClaims(claims));
    }
  }

  private static List<RedisClaim> localClaims(List<RedisClaim> claims) {
    return claims.stream().filter(RedisClaim::isLocal).toList();
  }

  /**
   * Decides a request by the failure policies of its limiters. If any of them fails closed or its
   * local bucket denies, the request is denied and nothing is taken. Operations other than requests
   * are not executed.
   *
   * @param ahead the result of {@link #decideAhead}; null if the request was not in flight
   */
  Decision decide(
      Operation operation, List<RedisClaim> claims, Degradation why, @Nullable Decision ahead) {
    if (operation != Operation.TAKE && operation != Operation.PEEK) {
      return withoutBucket(claims.get(0), why);
    }
    claims.forEach(claim -> observer.degraded(claim.buckets().name(), why));
    boolean closed = claims.stream().anyMatch(Fallback::isClosed);
    Iterator<Decision> localDecisions =
        closed ? List.<Decision>of().iterator() : localDecisions(operation, claims, ahead);
    Decision[] decisions = new Decision[claims.size()];
    for (int i = 0; i < decisions.length; i++) {
      RedisClaim claim = claims.get(i);
      decisions[i] =
          claim.isLocal() && !closed
              ? localDecisions.next().asDegraded(why.reason())
              : withoutBucket(claim, why);
    }
    return decisions.length == 1 ? decisions[0] : Decision.all(decisions);
  }

  private static boolean isClosed(RedisClaim claim) {
    return claim.buckets().onFailure() == FailurePolicy.CLOSED;
  }

  private Iterator<Decision> localDecisions(
      Operation operation, List<RedisClaim> claims, @Nullable Decision ahead) {
    if (ahead != null) {
      return ahead.results().iterator();
    }
    List<RedisClaim> localClaims = localClaims(claims);
    return localClaims.isEmpty()
        ? List.<Decision>of().iterator()
        : local.decide(operation, localClaims).results().iterator();
  }

  private static Decision withoutBucket(RedisClaim claim, Degradation why) {
    RedisBuckets buckets = claim.buckets();
    return isClosed(claim)
        ? Decision.unavailable(buckets.name(), buckets.limit(), RETRY_NANOS, why.reason())
        : Decision.allow(buckets.name(), buckets.limit(), buckets.limit().burstThousandths(), 0, 0)
            .asDegraded(why.reason());
  }
}
