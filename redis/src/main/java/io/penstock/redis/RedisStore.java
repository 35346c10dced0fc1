package io.penstock.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.penstock.Buckets;
import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.Store;
import io.penstock.StoreOptions;
import io.penstock.TokenBucket;
import io.penstock.inprocess.InProcessStore;
import io.penstock.redis.PendingRequest.RequestKind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Buckets in Redis or Valkey, shared by any number of nodes. Thread-safe.
 *
 * <pre>{@code
 * var store = RedisStore.connect("redis://localhost");
 * var search = RateLimiter.on(store, "search", Limit.perMinute(100).burst(20));
 * }</pre>
 *
 * <p>Every decision comes back within its deadline. When Redis can't be asked, the failure policy
 * of the limiter decides, and the decision is marked as degraded. Continuations of asynchronous
 * decisions run on the thread that reads from Redis or on the one that looks after deadlines: they
 * must not block.
 */
public final class RedisStore implements Store {
  /** How long to wait at the end until Redis has what was not used. */
  private static final long MAX_REFUND_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final String keyPrefix;
  private final long deadlineNanos;
  private final int nodes;
  private final InProcessStore local = InProcessStore.create();
  private final Dispatcher dispatch;

  RedisStore(RedisStoreBuilder settings, Function<StoreAssembler, Topology> topology) {
    this.keyPrefix = settings.keyPrefix();
    this.deadlineNanos = settings.deadline().toNanos();
    this.nodes = settings.nodes();
    this.dispatch = new Dispatcher(settings, topology, local);
  }

  /**
   * A store on the Redis at {@code url}: {@code redis://}, {@code rediss://}, {@code
   * redis-sentinel://}, {@code redis-socket://}, or {@code redis-cluster://} with some servers of a
   * cluster, with user and password if need be. Redis need not be there yet.
   */
  public static RedisStore connect(String url) {
    return builder().connect(url);
  }

  /**
   * Finds out whether {@link #connect} would take a URL.
   *
   * @throws IllegalArgumentException if it would not
   */
  public static void checkUrl(String url) {
    if (ClusterUrl.isOne(url)) {
      ClusterUrl.servers(url);
    } else {
      RedisURI.create(url);
    }
  }

  /** A store on a connection that the application has, and goes on owning. */
  public static RedisStore on(StatefulRedisConnection<byte[], byte[]> connection) {
    return builder().on(connection);
  }

  /** A store on a connection to a cluster that the application has, and goes on owning. */
  public static RedisStore on(StatefulRedisClusterConnection<byte[], byte[]> connection) {
    return builder().on(connection);
  }

  public static RedisStoreBuilder builder() {
    return new RedisStoreBuilder();
  }

  String keyPrefix() {
    return keyPrefix;
  }

  /** Whether Redis is being asked now, as far as is known; of a cluster, for all keys. */
  public boolean isAvailable() {
    return dispatch.isAvailable();
  }

  /** Why Redis can't be asked now, such as {@code NOPERM …}; empty if it can. */
  public String unavailableReason() {
    return dispatch.unavailableReason();
  }

  @Override
  public Buckets buckets(String name, Limit limit, StoreOptions storeOptions) {
    return new RedisBuckets(this, name, limit, storeOptions);
  }

  @Override
  public void check(String name, Limit limit, StoreOptions storeOptions) {
    if (limit instanceof TokenBucket bucket) {
      TokenBucketCodec.paceOf(bucket);
    }
    if (storeOptions.onFailure() == FailurePolicy.LOCAL) {
      local.check(name, localShare(name, limit), StoreOptions.DEFAULT);
    }
  }

  /** This node's share of a limit. */
  Limit localShare(String name, Limit limit) {
    if (nodes < 1) {
      throw new IllegalArgumentException(
          "nodes must be set for a limiter that falls back to local buckets: " + name);
    }
    return NodeShares.of(limit, nodes);
  }

  /** Where this node decides by itself while Redis is away. */
  Store local() {
    return local;
  }

  Dispatcher dispatch() {
    return dispatch;
  }

  /** What this node has taken of buckets in advance, for limiters that are not exact. */
  public LeaseStats leases() {
    return dispatch.leasing().figures();
  }

  @Override
  public Decision decide(List<Claim> claims) {
    if (!Payment.isPossible(claims)) {
      return dispatch.await(ask(RequestKind.TAKE, parts(claims)));
    }
    Payment payment = Payment.of(parts(claims), false);
    List<BucketRequest> rest = payment.rest();
    if (rest.isEmpty()) {
      return payment.settle(null);
    }
    Decision decision;
    try {
      decision = dispatch.await(ask(RequestKind.TAKE, rest));
    } catch (RuntimeException failure) {
      payment.putBack();
      throw failure;
    }
    return payment.settle(decision);
  }

  @Override
  public CompletionStage<Decision> decideAsync(List<Claim> claims) {
    return later(RequestKind.TAKE, claims);
  }

  @Override
  public CompletionStage<Decision> preview(List<Claim> claims) {
    return later(RequestKind.PREVIEW, claims);
  }

  private CompletionStage<Decision> later(RequestKind what, List<Claim> claims) {
    if (!Payment.isPossible(claims)) {
      return dispatch.later(ask(what, parts(claims)));
    }
    Payment payment = Payment.of(parts(claims), what == RequestKind.PREVIEW);
    List<BucketRequest> rest = payment.rest();
    if (rest.isEmpty()) {
      return CompletableFuture.completedFuture(payment.settle(null));
    }
    return dispatch
        .later(ask(what, rest))
        .whenComplete(
            (decision, failure) -> {
              if (failure != null) {
                payment.putBack();
              }
            })
        .thenApply(payment::settle);
  }

  private static List<BucketRequest> parts(List<Claim> claims) {
    List<BucketRequest> parts = new ArrayList<>(claims.size());
    for (int i = 0; i < claims.size(); i++) {
      Claim claim = claims.get(i);
      if (!(claim.buckets() instanceof RedisBuckets buckets)) {
        throw new IllegalArgumentException("claims must be on a Redis store: " + claim.buckets());
      }
      BucketRequest part = buckets.part(claim.key(), claim.cost(), claim.maxDelayNanos());
      for (BucketRequest other : parts) {
        if (other.redisKey().equals(part.redisKey())) {
          throw new IllegalArgumentException("a bucket can be claimed once: " + buckets.name());
        }
      }
      parts.add(part);
    }
    return parts;
  }

  PendingRequest ask(RequestKind what, List<BucketRequest> parts) {
    return new PendingRequest(what, parts, System.nanoTime() + deadlineNanos);
  }

  @Override
  public void close() {
    dispatch.close(Math.min(MAX_REFUND_NANOS, 2 * deadlineNanos));
  }
}
