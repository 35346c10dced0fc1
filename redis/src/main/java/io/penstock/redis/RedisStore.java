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
 * A store in Redis or Valkey, shared by any number of nodes. Thread-safe.
 *
 * <pre>{@code
 * var store = RedisStore.connect("redis://localhost");
 * var search = RateLimiter.on(store, "search", Limit.perMinute(100).burst(20));
 * }</pre>
 *
 * <p>Every decision returns within its deadline. While Redis is unavailable, the failure policy of
 * the limiter decides, and the decision is marked as degraded. Continuations of asynchronous
 * decisions run on the thread that reads from Redis or on the timer thread, so they must not block.
 */
public final class RedisStore implements Store {
  /** How long {@link #close} waits until Redis has processed returned leases. */
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
   * Creates a store on the Redis at {@code url}: {@code redis://}, {@code rediss://}, {@code
   * redis-sentinel://}, {@code redis-socket://}, or {@code redis-cluster://} with some servers of a
   * cluster, with user and password if necessary. Redis need not be available yet.
   */
  public static RedisStore connect(String url) {
    return builder().connect(url);
  }

  /**
   * Checks whether {@link #connect} would accept a URL.
   *
   * @throws IllegalArgumentException if it would not
   */
  public static void checkUrl(String url) {
    if (ClusterUrl.isClusterUrl(url)) {
      ClusterUrl.servers(url);
    } else {
      RedisURI.create(url);
    }
  }

  /** Creates a store on a connection that belongs to the application. */
  public static RedisStore on(StatefulRedisConnection<byte[], byte[]> connection) {
    return builder().on(connection);
  }

  /** Creates a store on a cluster connection that belongs to the application. */
  public static RedisStore on(StatefulRedisClusterConnection<byte[], byte[]> connection) {
    return builder().on(connection);
  }

  public static RedisStoreBuilder builder() {
    return new RedisStoreBuilder();
  }

  String keyPrefix() {
    return keyPrefix;
  }

  /** Whether Redis is available, as far as is known; for a cluster, for all keys. */
  public boolean isAvailable() {
    return dispatch.isAvailable();
  }

  /** Why Redis is unavailable, such as {@code NOPERM …}; empty if it is available. */
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
      TokenBucketCodec.rateOf(bucket);
    }
    if (storeOptions.onFailure() == FailurePolicy.LOCAL) {
      local.check(name, localShare(name, limit), StoreOptions.DEFAULT);
    }
  }

  /** The share of this node in a limit. */
  Limit localShare(String name, Limit limit) {
    if (nodes < 1) {
      throw new IllegalArgumentException(
          "nodes must be set for a limiter that falls back to local buckets: " + name);
    }
    return NodeShares.of(limit, nodes);
  }

  /** The in-process store for the failure policy {@code LOCAL}. */
  Store local() {
    return local;
  }

  Dispatcher dispatch() {
    return dispatch;
  }

  /** The leases of this node, for limiters that are not exact. */
  public LeaseStats leases() {
    return dispatch.leasing().stats();
  }

  @Override
  public Decision decide(List<Claim> claims) {
    if (!Payment.isPossible(claims)) {
      return dispatch.await(newRequest(RequestKind.TAKE, parts(claims)));
    }
    Payment payment = Payment.of(parts(claims), false);
    List<BucketRequest> rest = payment.rest();
    if (rest.isEmpty()) {
      return payment.settle(null);
    }
    Decision decision;
    try {
      decision = dispatch.await(newRequest(RequestKind.TAKE, rest));
    } catch (RuntimeException failure) {
      payment.putBack();
      throw failure;
    }
    return payment.settle(decision);
  }

  @Override
  public CompletionStage<Decision> decideAsync(List<Claim> claims) {
    return executeAsync(RequestKind.TAKE, claims);
  }

  @Override
  public CompletionStage<Decision> preview(List<Claim> claims) {
    return executeAsync(RequestKind.PREVIEW, claims);
  }

  private CompletionStage<Decision> executeAsync(RequestKind kind, List<Claim> claims) {
    if (!Payment.isPossible(claims)) {
      return dispatch.executeAsync(newRequest(kind, parts(claims)));
    }
    Payment payment = Payment.of(parts(claims), kind == RequestKind.PREVIEW);
    List<BucketRequest> rest = payment.rest();
    if (rest.isEmpty()) {
      return CompletableFuture.completedFuture(payment.settle(null));
    }
    return dispatch
        .executeAsync(newRequest(kind, rest))
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
          throw new IllegalArgumentException(
              "a bucket can be claimed only once: " + buckets.name());
        }
      }
      parts.add(part);
    }
    return parts;
  }

  PendingRequest newRequest(RequestKind kind, List<BucketRequest> parts) {
    return new PendingRequest(kind, parts, System.nanoTime() + deadlineNanos);
  }

  @Override
  public void close() {
    dispatch.close(Math.min(MAX_REFUND_NANOS, 2 * deadlineNanos));
  }
}
