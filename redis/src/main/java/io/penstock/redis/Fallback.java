package io.penstock.redis;

import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.Store;
import io.penstock.StoreOptions;
import io.penstock.inprocess.InProcessStore;
import io.penstock.redis.RedisObserver.Degradation;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Decides requests while Redis is unavailable: by the failure policies of their limiters, and from
 * the in-process buckets of those that fall back to them. Thread-safe.
 */
final class Fallback {
  /** The retry hint of denials while Redis is unavailable. */
  private static final long RETRY_NANOS = 1_000_000_000;

  private final Store local = InProcessStore.create();
  private final int nodes;
  private final RedisObserver observer;

  /**
   * @param nodes the number of nodes that share a limit; 0 if unknown
   */
  Fallback(int nodes, RedisObserver observer) {
    this.nodes = nodes;
    this.observer = observer;
  }

  /**
   * Checks whether a limiter can fall back to local buckets.
   *
   * @throws IllegalArgumentException if it can't
   */
  void check(String name, Limit limit) {
    local.check(name, share(name, limit), StoreOptions.DEFAULT);
  }

  /** Returns a limiter with this node's share of a limit. */
  RateLimiter localLimiter(String name, Limit limit) {
    return RateLimiter.on(local, name, share(name, limit));
  }

  /** Returns this node's share of a limit. */
  Limit share(String name, Limit limit) {
    if (nodes < 1) {
      throw new IllegalArgumentException(
          "on_store_failure: local needs the setting nodes: " + name);
    }
    return NodeShares.of(limit, nodes);
  }

  /**
   * Decides a request by the failure policies of its limiters. If any of them fails closed or its
   * local bucket denies, the request is denied and nothing is taken. Operations other than requests
   * are not executed.
   */
  Decision decide(Operation operation, List<RedisClaim> claims, Degradation why) {
    if (operation != Operation.TAKE && operation != Operation.PEEK) {
      return withoutBucket(claims.get(0));
    }
    claims.forEach(claim -> observer.degraded(claim.buckets().name(), why));
    boolean closed = claims.stream().anyMatch(Fallback::isClosed);
    Iterator<Decision> localDecisions =
        closed ? List.<Decision>of().iterator() : localDecisions(operation, claims);
    Decision[] decisions = new Decision[claims.size()];
    for (int i = 0; i < decisions.length; i++) {
      RedisClaim claim = claims.get(i);
      decisions[i] =
          claim.buckets().local() != null && !closed
              ? localDecisions.next().asDegraded()
              : withoutBucket(claim);
    }
    return decisions.length == 1 ? decisions[0] : Decision.all(decisions);
  }

  private static boolean isClosed(RedisClaim claim) {
    return claim.buckets().onFailure() == FailurePolicy.CLOSED;
  }

  private Iterator<Decision> localDecisions(Operation operation, List<RedisClaim> claims) {
    List<Claim> localClaims = new ArrayList<>();
    for (RedisClaim claim : claims) {
      RateLimiter own = claim.buckets().local();
      if (own != null) {
        localClaims.add(new Claim(own, claim.key(), claim.thousandths(), claim.maxDelayNanos()));
      }
    }
    if (localClaims.isEmpty()) {
      return List.<Decision>of().iterator();
    }
    // An in-process peek is complete immediately.
    Decision decision =
        operation == Operation.TAKE
            ? local.take(localClaims)
            : local.peekAsync(localClaims).toCompletableFuture().join();
    return decision.results().iterator();
  }

  private static Decision withoutBucket(RedisClaim claim) {
    RedisBuckets buckets = claim.buckets();
    return isClosed(claim)
        ? Decision.unavailable(buckets.name(), buckets.limit(), RETRY_NANOS)
        : Decision.allow(buckets.name(), buckets.limit(), buckets.limit().burstThousandths(), 0, 0)
            .asDegraded();
  }
}
